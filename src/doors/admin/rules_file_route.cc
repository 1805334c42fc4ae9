// /admin/v1/rules/file: all rows as one rules file, and a rules file into the rows.
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "documents/json_writer.h"
#include "doors/admin/preconditions.h"
#include "doors/admin/rule_answers.h"
#include "doors/admin/rules_query.h"
#include "doors/admin/rules_routes.h"
#include "doors/query_string.h"
#include "rules/table/rules_file.h"

namespace sluice::doors::admin {
namespace {

using documents::Node;

// `name`: what faults call the file, and by its end whether it is YAML.
std::string file_name(std::string_view query) {
  for (auto& [parameter, value] : parse_query(query)) {
    if (parameter == "name" && !value.empty()) return std::move(value);
  }
  return "rules.json";
}

rules::ExpectedChanges changes_of(const Tags& tags) {
  if (tags.is_any) return std::nullopt;
  std::vector<int64_t> changes;
  for (const std::string& tag : tags.tags) {
    const auto number = tag == "0" ? std::optional<int64_t>(0) : read_number(tag);  // 0: nothing was ever changed
    if (number) changes.push_back(*number);
  }
  return changes;
}

void send_counts(http::Response& response, const rules::Imported& counts) {
  Node json = documents::object_node({});
  add_member(json, "added", integer_node(static_cast<int64_t>(counts.added)));
  add_member(json, "changed", integer_node(static_cast<int64_t>(counts.changed)));
  add_member(json, "removed", integer_node(static_cast<int64_t>(counts.removed)));
  add_member(json, "unchanged", integer_node(static_cast<int64_t>(counts.unchanged)));
  send_json(response, 200, json);
}

}  // namespace

void RulesRoutes::answer_file(const Request& request, Response& response) {
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  if (request.method == "PUT" || request.method == "PATCH") return import_file(*rows, request, response);
  const auto snapshot = rows->snapshot();
  if (!snapshot) return fail(snapshot.fault(), response);
  const auto text = rules::export_file(*snapshot, sources_.table.name);
  if (const auto* faults = std::get_if<std::vector<rules::Fault>>(&text)) return send_faults(response, *faults);
  const std::string tag = quoted_tag(std::to_string(snapshot->change));
  const http::Field field{"ETag", tag};
  response.send({200, http::kJsonMediaType, {&field, 1}, std::get<std::string>(text)});
}

// PUT: afterwards the rows say what the file does, and nothing else. PATCH: beside what is there.
void RulesRoutes::import_file(rules::RuleTable& rows, const Request& request, Response& response) {
  const bool replaces = request.method == "PUT";
  const std::string_view match = request.field("if-match");
  if (match.empty() && replaces) {
    return response.send_fault(428, "Say which rules this replaces: If-Match with the ETag of the file, or * for any.");
  }
  const auto tags = parse_tags("If-Match", match);
  if (const auto* wrong = std::get_if<std::string>(&tags)) return response.send_fault(400, *wrong);
  const std::string text(request.body);
  const std::string file = file_name(request.target.query);
  const auto read = rules::rows_of_file(text, file, rules::guess_format(file, text));
  if (const auto* faults = std::get_if<std::vector<rules::Fault>>(&read)) return send_faults(response, *faults);
  const auto mode = replaces ? rules::ImportMode::kReplace : rules::ImportMode::kMerge;
  const auto expected = match.empty() ? std::nullopt : changes_of(std::get<Tags>(tags));
  const auto done = rules::import_file(rows, sources_.table.name, gate_.who(request), std::get<rules::FileRows>(read),
                                       mode, expected);
  if (const auto* fault = std::get_if<sql::Fault>(&done)) return fail(*fault, response);
  if (const auto* faulty = std::get_if<rules::Faulty>(&done)) return send_faults(response, faulty->faults);
  if (const auto* conflict = std::get_if<rules::Conflict>(&done)) return send_refusal(response, *conflict);
  if (sources_.table.changed) sources_.table.changed();
  send_counts(response, std::get<rules::Imported>(done));
}

}  // namespace sluice::doors::admin
