#include "doors/admin/rule_answers.h"

#include <cinttypes>
#include <cstdio>
#include <utility>
#include <variant>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "doors/admin/preconditions.h"
#include "doors/problem.h"
#include "rules/table/row_json.h"

namespace sluice::doors::admin {
namespace {

using documents::Node;
using documents::object_node;
using documents::string_node;

constexpr std::string_view kRules = "/admin/v1/rules/";

Node text_or_null(const std::optional<std::string>& text) { return text ? stored_json(*text) : Node(); }

Node problem_of(int status, std::string_view detail) {
  Node problem = object_node({});
  add_member(problem, "type", string_node("about:blank"));
  add_member(problem, "title", string_node(http::phrase_of(status)));
  add_member(problem, "status", integer_node(status));
  add_member(problem, "detail", string_node(detail));
  return problem;
}

void send_problem(http::Response& response, int status, const Node& problem, std::span<const http::Field> fields = {}) {
  response.send({status, kProblemMediaType, fields, response.text() = documents::write_json(problem)});
}

Node json_of(const rules::Fault& fault) {
  Node json = object_node({});
  add_member(json, "field", string_node(fault.field));
  add_member(json, "message", string_node(fault.message));
  if (!fault.hint.empty()) add_member(json, "hint", string_node(fault.hint));
  if (fault.line > 0) {
    add_member(json, "line", integer_node(fault.line));
    add_member(json, "column", integer_node(fault.column));
  }
  if (fault.row_id > 0) add_member(json, "rule_id", integer_node(fault.row_id));
  return json;
}

std::string_view word_of(rules::ChangeKind kind) {
  switch (kind) {
    case rules::ChangeKind::kCreated: return "created";
    case rules::ChangeKind::kChanged: return "changed";
    case rules::ChangeKind::kRemoved: break;
  }
  return "removed";
}

Node json_of(const rules::Change& change) {
  Node json = object_node({});
  add_member(json, "change_id", integer_node(change.number));
  add_member(json, "kind", string_node(word_of(change.kind)));
  add_member(json, "rule_id", change.rule_id == 0 ? Node() : integer_node(change.rule_id));
  add_member(json, "subject", string_node(change.subject));
  add_member(json, "changed_at", string_node(change.at));
  add_member(json, "changed_by", string_node(change.who));
  // Whoever edits through Sluice is named by Sluice; by hand anybody may claim to be anybody.
  if (change.role && *change.role != change.who) add_member(json, "session_role", string_node(*change.role));
  add_member(json, "before", text_or_null(change.before));
  add_member(json, "after", text_or_null(change.after));
  return json;
}

int status_of(sql::Trouble trouble) {
  switch (trouble) {
    case sql::Trouble::kDuplicate: return 409;
    case sql::Trouble::kRefused: return 422;
    case sql::Trouble::kReadOnly: return 403;
    case sql::Trouble::kBroken: return 500;
    default: return 503;
  }
}

// Somebody was quicker: what there is now is shown, so that nobody has to ask for it.
void send_conflict(http::Response& response, const rules::Conflict& conflict) {
  Node problem = problem_of(412, conflict.change ? "Rules have been changed meanwhile: get the file as it is now."
                                                 : "It has been changed meanwhile: this is how it is now.");
  const std::string tag = conflict.row      ? quoted_tag(std::to_string(conflict.row->version))
                          : conflict.value  ? quoted_tag(tag_of_value(*conflict.value))
                          : conflict.change ? quoted_tag(std::to_string(*conflict.change))
                                            : "";
  if (conflict.row) add_member(problem, "current", rules::row_json(*conflict.row));
  if (conflict.value) add_member(problem, "current", stored_json(*conflict.value));
  const http::Field field{"ETag", tag};
  send_problem(response, 412, problem, {&field, tag.empty() ? size_t{0} : size_t{1}});
}

}  // namespace

std::string tag_of_value(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016" PRIx64, hash);
  return digits;
}

void add_member(Node& object, std::string_view name, Node value) {
  object.members.push_back({std::string(name), {}, std::move(value)});
}

Node integer_node(int64_t number) { return documents::number_node(std::to_string(number)); }

Node stored_json(const std::string& text) {
  auto parsed = documents::read_json(text);
  if (auto* node = std::get_if<Node>(&parsed)) return std::move(*node);
  return string_node(text);
}

void send_json(http::Response& response, int status, const Node& node, std::span<const http::Field> fields) {
  response.send({status, http::kJsonMediaType, fields, response.text() = documents::write_json(node)});
}

void send_row(http::Response& response, int status, const rules::Row& row) {
  const std::string tag = quoted_tag(std::to_string(row.version));
  const std::string place = std::string(kRules) + std::to_string(row.id);
  const http::Field fields[] = {{"ETag", tag}, {"Location", place}};
  send_json(response, status, rules::row_json(row), std::span(fields).first(status == 201 ? 2 : 1));
}

void send_changes(http::Response& response, const std::vector<rules::Change>& changes, size_t most) {
  Node list = documents::list_node({});
  for (const rules::Change& change : changes) {
    if (list.items.size() < most) list.items.push_back(json_of(change));
  }
  const bool has_more = changes.size() > most;
  Node json = object_node({});
  add_member(json, "changes", std::move(list));
  add_member(json, "next", has_more ? integer_node(changes[most - 1].number) : Node());
  send_json(response, 200, json);
}

void send_faults(http::Response& response, const std::vector<rules::Fault>& faults) {
  Node list = documents::list_node({});
  for (const rules::Fault& fault : faults) list.items.push_back(json_of(fault));
  Node problem = problem_of(422, "Nothing was changed: see faults.");
  add_member(problem, "faults", std::move(list));
  send_problem(response, 422, problem);
}

void send_database_fault(http::Response& response, const sql::Fault& fault) {
  const int status = status_of(fault.trouble);
  const http::Field field{"Retry-After", "1"};
  send_problem(response, status, problem_of(status, fault.in_one_line()),
               {&field, status == 503 ? size_t{1} : size_t{0}});
}

void send_refusal(http::Response& response, const rules::EditResult& result) {
  if (const auto* faulty = std::get_if<rules::Faulty>(&result)) return send_faults(response, faulty->faults);
  if (const auto* conflict = std::get_if<rules::Conflict>(&result)) return send_conflict(response, *conflict);
  if (const auto* fault = std::get_if<sql::Fault>(&result)) return send_database_fault(response, *fault);
  if (const auto* taken = std::get_if<rules::Taken>(&result)) {
    Node problem = problem_of(409, "Another row has this key_pattern and plan: change that one.");
    add_member(problem, "current", rules::row_json(taken->row));
    return send_problem(response, 409, problem);
  }
  response.send_fault(404, "There is no such rule.");
}

}  // namespace sluice::doors::admin
