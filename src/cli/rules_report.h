// Rows of rules and their history as people read them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/terminal.h"

namespace sluice::cli {

// As `sluice rules set` takes it: `user:{user_id}@pro`, `rule:login`, `policy:public-api`.
std::string name_of(const nlohmann::ordered_json& row);

// "rule 7 user:{user_id}@pro: 10/s, 50 at once".
std::string in_one_line(const nlohmann::ordered_json& row);

std::string rules_table(const nlohmann::ordered_json& rows, const Style& style);

// A line for each change, with what became of each field.
std::string history_text(const nlohmann::ordered_json& changes);

// What an import did.
std::string import_text(const nlohmann::ordered_json& counts, const std::string& file);

}  // namespace sluice::cli
