// The description of all HTTP APIs, as both doors serve it: docs/openapi.json, put into the program when it is built.
#pragma once

#include <string_view>

namespace sluice::doors {

// OpenAPI 3.1, as the file has it.
std::string_view openapi_document();

}  // namespace sluice::doors
