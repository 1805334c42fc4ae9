#include "doors/admin/rules_query.h"

#include <charconv>

#include "doors/query_string.h"

namespace sluice::doors::admin {
namespace {

std::string bad_number(std::string_view name, std::string_view value) {
  return std::string(name) + " must be a whole number above 0, but is '" + std::string(value) + "'";
}

std::optional<std::string> read_limit(std::string_view value, size_t& most) {
  const auto number = read_number(value);
  if (!number || static_cast<size_t>(*number) > kRulesMost) {
    return "limit must be a number from 1 to " + std::to_string(kRulesMost) + ", but is '" + std::string(value) + "'";
  }
  most = static_cast<size_t>(*number);
  return std::nullopt;
}

std::optional<std::string> read_into(rules::RowFilter& filter, const std::string& name, const std::string& value) {
  if (name == "limit") return read_limit(value, filter.most);
  if (name == "key_pattern") {
    filter.key_pattern = value;
  } else if (name == "plan") {
    filter.plan = value;
  } else if (name == "after") {
    const auto number = read_number(value);
    if (!number) return bad_number(name, value);
    filter.after_id = *number;
  } else if (name == "is_active") {
    if (value != "true" && value != "false") return "is_active must be true or false, but is '" + value + "'";
    filter.is_active = value == "true";
  } else {
    return "there is no parameter '" + name + "': after, limit, key_pattern, plan and is_active are";
  }
  return std::nullopt;
}

}  // namespace

std::variant<rules::RowFilter, std::string> read_row_filter(std::string_view query) {
  rules::RowFilter filter;
  filter.most = kRulesDefault;
  for (const auto& [name, value] : parse_query(query)) {
    if (auto wrong = read_into(filter, name, value)) return *std::move(wrong);
  }
  return filter;
}

std::variant<rules::ChangeFilter, std::string> read_change_filter(std::string_view query) {
  rules::ChangeFilter filter;
  filter.most = kRulesDefault;
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "limit") {
      if (auto wrong = read_limit(value, filter.most)) return *std::move(wrong);
    } else if (name == "before") {
      filter.before = read_number(value);
      if (!filter.before) return bad_number(name, value);
    } else {
      return "there is no parameter '" + name + "': before and limit are";
    }
  }
  return filter;
}

std::variant<std::optional<int64_t>, std::string> read_rule_id(std::string_view query) {
  std::optional<int64_t> id;
  for (const auto& [name, value] : parse_query(query)) {
    if (name != "rule_id") return "there is no parameter '" + name + "': rule_id is";
    id = read_number(value);
    if (!id) return bad_number(name, value);
  }
  return id;
}

std::optional<int64_t> read_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

}  // namespace sluice::doors::admin
