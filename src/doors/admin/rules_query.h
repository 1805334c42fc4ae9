// The parameters of the rules API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/table/rule_table.h"

namespace sluice::doors::admin {

inline constexpr size_t kRulesDefault = 100;
inline constexpr size_t kRulesMost = 1'000;

// `after`, `limit`, `key_pattern`, `plan`, `is_active`. The texts are what is wrong with them.
std::variant<rules::RowFilter, std::string> read_row_filter(std::string_view query);
// `before`, `limit`.
std::variant<rules::ChangeFilter, std::string> read_change_filter(std::string_view query);
// `rule_id`, which may be left out.
std::variant<std::optional<int64_t>, std::string> read_rule_id(std::string_view query);

// A whole number above 0.
std::optional<int64_t> read_number(std::string_view text);

}  // namespace sluice::doors::admin
