// Values of JSON as people read them in a table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sluice::cli {

// Texts are what anybody sent: none may disturb a terminal. Numbers are 5, not 5.0.
std::string text_of(const nlohmann::ordered_json& value);

// A member; nothing where it is missing or null.
std::string field(const nlohmann::ordered_json& row, const char* name);

}  // namespace sluice::cli
