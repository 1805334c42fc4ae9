// GET /admin/v1/top?by=requests|rejections&limit=20: the hottest and the most rejected keys, by name.
#pragma once

#include "doors/admin/key_census.h"
#include "doors/http/message.h"
#include "doors/http/response.h"

namespace sluice::doors::admin {

inline constexpr size_t kTopDefault = 20;
inline constexpr size_t kTopMost = 1000;

void send_top(KeyCensus& census, const http::Request& request, http::Response& response);

}  // namespace sluice::doors::admin
