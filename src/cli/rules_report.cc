#include "cli/rules_report.h"

#include <fmt/format.h>

#include "cli/json_text.h"
#include "cli/table.h"

namespace sluice::cli {
namespace {

using nlohmann::ordered_json;

bool is_policy(const ordered_json& row) { return row.contains("rules"); }
bool is_table_form(const ordered_json& row) { return row.contains("key_pattern"); }

// Of what is not in the table form, as much as fits.
std::string summary_of(const ordered_json& row) {
  if (!is_policy(row)) return "";
  const size_t rules = row["rules"].size();
  return fmt::format("{} {}", rules, rules == 1 ? "rule" : "rules");
}

// Columns that the database keeps say nothing about what somebody wanted.
bool is_kept_by_the_table(const std::string& name) {
  return name == "version" || name == "created_at" || name == "updated_at" || name == "rule_id";
}

std::string difference(const ordered_json& before, const ordered_json& after) {
  std::string text;
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    if (is_kept_by_the_table(name) || (old != before.end() && *old == value)) continue;
    text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", name, old == before.end() ? "" : text_of(*old),
                        text_of(value));
  }
  return text;
}

std::string change_text(const ordered_json& change) {
  const ordered_json none = ordered_json::object();
  const auto side = [&](const char* name) -> const ordered_json& {
    const auto found = change.find(name);
    return found == change.end() || !found->is_object() ? none : *found;
  };
  if (field(change, "kind") == "changed") return difference(side("before"), side("after"));
  const ordered_json& row = field(change, "kind") == "removed" ? side("before") : side("after");
  const std::string rate = field(row, "rate_per_second");
  return rate.empty() ? "" : fmt::format("{}/s, {} at once", rate, field(row, "burst_capacity"));
}

}  // namespace

std::string name_of(const ordered_json& row) {
  if (is_policy(row)) return "policy:" + field(row, "id");
  if (!is_table_form(row)) return "rule:" + field(row, "name");
  const std::string plan = field(row, "plan");
  return field(row, "key_pattern") + (plan.empty() ? "" : "@" + plan);
}

std::string in_one_line(const ordered_json& row) {
  const std::string limits = is_table_form(row) ? fmt::format(": {}/s, {} at once", field(row, "rate_per_second"),
                                                              field(row, "burst_capacity"))
                             : is_policy(row)   ? ": " + summary_of(row)
                                                : "";
  const bool is_active = row.value("is_active", true);
  return fmt::format("rule {} {}{}{}", field(row, "rule_id"), name_of(row), limits, is_active ? "" : ", not active");
}

std::string rules_table(const ordered_json& rows, const Style& style) {
  if (rows.empty()) return "no rules: 'sluice rules add --help' shows how to add one\n";
  Table table{{"rule", "id", "plan", "per second", "at once", "active"}, {}};
  for (const ordered_json& row : rows) {
    const bool is_plain = is_table_form(row);
    table.rows.push_back({is_plain ? field(row, "key_pattern") : name_of(row), field(row, "rule_id"),
                          field(row, "plan"), is_plain ? field(row, "rate_per_second") : summary_of(row),
                          field(row, "burst_capacity"), row.value("is_active", true) ? "yes" : "no"});
  }
  return render_table(table, style);
}

std::string history_text(const ordered_json& changes) {
  if (changes.empty()) return "nothing was changed yet\n";
  std::string text;
  for (const ordered_json& change : changes) {
    const std::string what = change_text(change);
    const std::string role = field(change, "session_role");
    text += fmt::format("{}  {}{} {} {}{}\n", field(change, "changed_at").substr(0, 19), field(change, "changed_by"),
                        role.empty() ? "" : " (as " + role + ")", field(change, "kind"), field(change, "subject"),
                        what.empty() ? "" : ": " + what);
  }
  return text;
}

std::string import_text(const ordered_json& counts, const std::string& file) {
  return fmt::format("{}: {} added, {} changed, {} removed, {} as they were\n", file, field(counts, "added"),
                     field(counts, "changed"), field(counts, "removed"), field(counts, "unchanged"));
}

}  // namespace sluice::cli
