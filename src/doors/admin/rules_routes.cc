#include "doors/admin/rules_routes.h"

#include <utility>
#include <variant>

#include "documents/json_writer.h"
#include "doors/admin/rule_answers.h"
#include "doors/admin/rules_query.h"
#include "doors/query_string.h"
#include "rules/table/row_json.h"

namespace sluice::doors::admin {
namespace {

using documents::Node;

constexpr std::string_view kHistory = "/history";
constexpr std::string_view kTopLevel = "/top-level/";
constexpr std::string_view kNoField = "The table says nothing of this at its top level.";

void send_nothing(http::Response& response) { response.send({204, "", {}, ""}); }

void send_nothing_at(const http::Request& request, http::Response& response) {
  response.send_fault(404, "There is nothing at " + std::string(request.target.path) + ".");
}

void send_not_modified(http::Response& response, const std::string& tag) {
  const http::Field field{"ETag", tag};
  response.send({304, "", {&field, 1}, ""});
}

void send_not_allowed(http::Response& response, std::string_view allow) {
  const http::Field field{"Allow", allow};
  response.send_fault(405, "This takes " + std::string(allow) + ".", {&field, 1});
}

// An editor's line end is no part of a value.
std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool is_reading(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

bool is_changing(const http::Request& request) {
  return request.method == "PUT" || request.method == "PATCH" || request.method == "DELETE";
}

// Whether the client has what it would be sent.
bool is_known(const http::Request& request, std::string_view tag) {
  const auto tags = parse_tags("If-None-Match", request.field("if-none-match"));
  return std::holds_alternative<Tags>(tags) && std::get<Tags>(tags).has_weakly(tag);
}

}  // namespace

std::vector<http::Route> RulesRoutes::routes() {
  const std::string all(kPath);
  const http::Guard nothing = guard(Wants::kNothing);
  const http::Guard to_change = guard(Wants::kToChange);
  // Keys of tokens may be in the top level: in its values, in its changes, and so in the file.
  const http::Guard always = guard(Wants::kAlways);
  const auto below = http::Reach::kBelow;
  return {
      {all, {"GET", "POST"}, answered_by(&RulesRoutes::answer_all), to_change},
      {all + "/validate", {"POST"}, answered_by(&RulesRoutes::validate), nothing},
      {all + "/history", {"GET"}, answered_by(&RulesRoutes::send_history), always},
      {all + "/file", {"GET", "PUT", "PATCH"}, answered_by(&RulesRoutes::answer_file), always},
      {all + "/top-level", {"GET"}, answered_by(&RulesRoutes::answer_top_level), always},
      {all + "/top-level/", {"GET", "PUT", "DELETE"}, answered_by(&RulesRoutes::answer_field), always, below},
      // A rule and its history take different methods: answer_one() says which.
      {all + "/", {}, answered_by(&RulesRoutes::answer_one), to_change, below},
  };
}

http::Handler RulesRoutes::answered_by(Answer answer) {
  return [this, answer](const Request& request, const net::Peer&, Response& response) {
    (this->*answer)(request, response);
  };
}

http::Guard RulesRoutes::guard(Wants wants) const {
  return [this, wants](const Request& request, Response& response) {
    if (!gate_.lets_see(request, response)) return false;
    if (!sources_.table.open) {
      response.send_fault(409, sources_.rules().has_file
                                   ? "The rules come from a file: change that, and it is loaded again. This is for "
                                     "rules in a database."
                                   : "There are no rules to change: serve some from a database first.");
      return false;
    }
    if (wants == Wants::kAlways) return gate_.lets_see_secrets(request, response);
    return wants == Wants::kNothing || is_reading(request) || gate_.lets_change(request, response);
  };
}

rules::RuleTable* RulesRoutes::table(Response& response) {
  auto found = desk_.table();
  if (found) return *found;
  send_database_fault(response, found.fault());
  return nullptr;
}

rules::Editor RulesRoutes::editor(rules::RuleTable& table, const Request& request) const {
  return rules::Editor(table, sources_.table.name, gate_.who(request));
}

void RulesRoutes::fail(const sql::Fault& fault, Response& response) {
  desk_.note(fault);
  send_database_fault(response, fault);
}

void RulesRoutes::finish(const rules::EditResult& result, int status, Response& response) {
  if (const auto* fault = std::get_if<sql::Fault>(&result)) return fail(*fault, response);
  const auto* edited = std::get_if<rules::Edited>(&result);
  if (edited == nullptr) return send_refusal(response, result);
  if (sources_.table.changed) sources_.table.changed();
  if (!edited->row) return send_nothing(response);
  send_row(response, status, *edited->row);
}

void RulesRoutes::answer_all(const Request& request, Response& response) {
  if (is_reading(request)) return list(request, response);
  rules::RuleTable* const rows = table(response);
  if (rows != nullptr) finish(editor(*rows, request).create(request.body), 201, response);
}

void RulesRoutes::list(const Request& request, Response& response) {
  auto read = read_row_filter(request.target.query);
  if (const auto* wrong = std::get_if<std::string>(&read)) return response.send_fault(400, *wrong);
  auto filter = std::get<rules::RowFilter>(std::move(read));
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const size_t most = filter.most++;  // one more tells whether there are more
  const auto found = rows->list(filter);
  if (!found) return fail(found.fault(), response);
  Node list = documents::list_node({});
  for (const rules::Row& row : *found) {
    if (list.items.size() < most) list.items.push_back(rules::row_json(row));
  }
  Node json = documents::object_node({});
  add_member(json, "rules", std::move(list));
  add_member(json, "next", found->size() > most ? integer_node((*found)[most - 1].id) : Node());
  send_json(response, 200, json);
}

void RulesRoutes::validate(const Request& request, Response& response) {
  const auto id = read_rule_id(request.target.query);
  if (const auto* wrong = std::get_if<std::string>(&id)) return response.send_fault(400, *wrong);
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto result = editor(*rows, request).validate(request.body, std::get<std::optional<int64_t>>(id));
  if (const auto* fault = std::get_if<sql::Fault>(&result)) return fail(*fault, response);
  if (!std::holds_alternative<rules::Edited>(result)) return send_refusal(response, result);
  Node json = documents::object_node({});
  add_member(json, "valid", documents::bool_node(true));
  send_json(response, 200, json);
}

void RulesRoutes::answer_one(const Request& request, Response& response) {
  std::string_view rest = request.target.path.substr(kPath.size() + 1);
  const bool is_history = rest.ends_with(kHistory);
  if (is_history) rest.remove_suffix(kHistory.size());
  const auto id = read_number(rest);
  if (!id) return send_nothing_at(request, response);
  if (is_history) {
    return is_reading(request) ? send_history_of(*id, request, response) : send_not_allowed(response, "GET, HEAD");
  }
  if (is_reading(request)) return show(*id, request, response);
  if (!is_changing(request)) return send_not_allowed(response, "GET, HEAD, PUT, PATCH, DELETE");
  change(*id, request, response);
}

void RulesRoutes::show(int64_t id, const Request& request, Response& response) {
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto found = rows->find(id);
  if (!found) return fail(found.fault(), response);
  if (!*found) return response.send_fault(404, "There is no such rule.");
  const std::string version = std::to_string((*found)->version);
  if (is_known(request, version)) return send_not_modified(response, quoted_tag(version));
  send_row(response, 200, **found);
}

void RulesRoutes::change(int64_t id, const Request& request, Response& response) {
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto version = expected(id, request, response);
  if (!version) return;
  rules::Editor edits = editor(*rows, request);
  if (request.method == "PUT") return finish(edits.replace(id, request.body, *version), 200, response);
  if (request.method == "PATCH") return finish(edits.patch(id, request.body, *version), 200, response);
  finish(edits.remove(id, *version), 200, response);
}

std::optional<rules::Expected> RulesRoutes::expected(int64_t id, const Request& request, Response& response) {
  const std::string_view field = request.field("if-match");
  if (field.empty()) {
    response.send_fault(428, "Say which version this is for: If-Match with the ETag of the rule, or * for any.");
    return std::nullopt;
  }
  const auto parsed = parse_tags("If-Match", field);
  if (const auto* wrong = std::get_if<std::string>(&parsed)) {
    response.send_fault(400, *wrong);
    return std::nullopt;
  }
  const Tags& tags = std::get<Tags>(parsed);
  if (tags.is_any) return rules::Expected();
  // Of several, the one that fits; of none, one that no row has.
  int64_t version = 0;
  const auto found = (*desk_.table())->find(id);
  for (const std::string& tag : tags.tags) {
    const auto number = read_number(tag);
    if (number && (version == 0 || (found && *found && (*found)->version == *number))) version = *number;
  }
  return rules::Expected(version);
}

void RulesRoutes::send_history(const Request& request, Response& response) {
  send_history_of(std::nullopt, request, response);
}

void RulesRoutes::send_history_of(std::optional<int64_t> id, const Request& request, Response& response) {
  auto read = read_change_filter(request.target.query);
  if (const auto* wrong = std::get_if<std::string>(&read)) return response.send_fault(400, *wrong);
  auto filter = std::get<rules::ChangeFilter>(std::move(read));
  filter.rule_id = id;
  const size_t most = filter.most++;
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto changes = rows->changes(filter);
  if (!changes) return fail(changes.fault(), response);
  send_changes(response, *changes, most);
}

void RulesRoutes::answer_top_level(const Request&, Response& response) {
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto snapshot = rows->snapshot();
  if (!snapshot) return fail(snapshot.fault(), response);
  Node json = documents::object_node({});
  for (const auto& [field, value] : snapshot->top_level) add_member(json, field, stored_json(value));
  send_json(response, 200, json);
}

void RulesRoutes::answer_field(const Request& request, Response& response) {
  const std::string_view rest = request.target.path.substr(kPath.size() + kTopLevel.size());
  if (rest.empty() || rest.find('/') != rest.npos) return send_nothing_at(request, response);
  rules::RuleTable* const rows = table(response);
  if (rows == nullptr) return;
  const auto snapshot = rows->snapshot();
  if (!snapshot) return fail(snapshot.fault(), response);
  const std::string field = decode_path(rest);
  const auto found = snapshot->top_level.find(field);
  const bool is_there = found != snapshot->top_level.end();
  if (!is_reading(request)) {
    return change_field(field, is_there ? std::optional(found->second) : std::nullopt, request, response);
  }
  if (!is_there) return response.send_fault(404, kNoField);
  show_field(found->second, request, response);
}

void RulesRoutes::show_field(const std::string& value, const Request& request, Response& response) {
  const std::string tag = tag_of_value(value);
  const std::string quoted = quoted_tag(tag);
  if (is_known(request, tag)) return send_not_modified(response, quoted);
  const http::Field field{"ETag", quoted};
  send_json(response, 200, stored_json(value), {&field, 1});
}

// `value` is what is there now.
void RulesRoutes::change_field(const std::string& field, const std::optional<std::string>& value,
                               const Request& request, Response& response) {
  const std::string_view match = request.field("if-match");
  const bool is_new = request.field("if-none-match") == "*";
  if (match.empty() && !is_new) {
    return response.send_fault(428,
                               "Say which value this is for: If-Match with its ETag, * for any, or for a new one "
                               "If-None-Match: *.");
  }
  const auto parsed = parse_tags("If-Match", match);
  if (const auto* wrong = std::get_if<std::string>(&parsed)) return response.send_fault(400, *wrong);
  const bool fits = is_new ? !value : value && std::get<Tags>(parsed).has(tag_of_value(*value));
  if (!fits && (value || request.method == "PUT")) {
    return send_refusal(response, rules::Conflict{{}, value});
  }
  if (!value && request.method == "DELETE") return response.send_fault(404, kNoField);
  rules::Editor edits = editor(**desk_.table(), request);
  const std::string known = value.value_or("");
  finish(request.method == "PUT" ? edits.set_top_level(field, without_blanks(request.body), known)
                                 : edits.remove_top_level(field, known),
         200, response);
}

}  // namespace sluice::doors::admin
