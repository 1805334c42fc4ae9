// What this server says of itself.
#pragma once

#include <string_view>

namespace sluice::doors::resp {

// The Redis whose protocol is spoken: clients look at it to know what they may send.
inline constexpr std::string_view kRedisVersion = "7.2.0";

}  // namespace sluice::doors::resp
