// The body of a request as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "documents/json_tape.h"

namespace sluice::doors::http {

// Into the tape; or what is wrong with it and where, in one line.
std::optional<std::string> read_json_body(std::string_view body, documents::JsonTape& tape);

}  // namespace sluice::doors::http
