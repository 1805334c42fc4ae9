#include "cli/api_rule_book.h"

#include <fmt/format.h>

#include "cli/command.h"

namespace sluice::cli {
namespace {

using Json = RuleBook::Json;

constexpr std::string_view kRules = "/admin/v1/rules";

std::string path_of(int64_t id) { return fmt::format("{}/{}", kRules, id); }
std::string etag_of(int64_t version) { return fmt::format("\"{}\"", version); }

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string fault_text(const Json& fault, const std::string& file) {
  std::string text = file.empty() ? "" : file + ":";
  const int line = fault.value("line", 0);
  if (line > 0) text += fmt::format("{}:{}:", line, fault.value("column", 0));
  if (!text.empty()) text += " ";
  if (const std::string field = text_in(fault, "field"); !field.empty()) text += field + ": ";
  text += text_in(fault, "message");
  const std::string hint = text_in(fault, "hint");
  return hint.empty() ? text : text + "\n  hint: " + hint;
}

Failure failure_of(const Json& problem, const AdminAnswer& answer, const AskedFor& asked) {
  const int status = answer.status;
  std::string text;
  if (const auto faults = problem.find("faults"); faults != problem.end() && faults->is_array()) {
    for (const Json& fault : *faults) text += fault_text(fault, asked.file) + "\n";
  }
  const std::string detail = text_in(problem, "detail");
  text += fmt::format("sluice {}: {} says {}: {}", asked.command, asked.url, status,
                      detail.empty() ? text_in(problem, "title") : detail);
  const bool is_token = status == 401 || status == 403;
  return {text, is_token ? "give the token with --token-file FILE, or set SLUICE_ADMIN_TOKEN" : "",
          status >= 400 && status < 500 && !is_token ? kBadUsage : kFailed};
}

}  // namespace

RuleBook::Answer read_answer(const AdminAnswer& answer, const AskedFor& asked) {
  if (answer.status == 204) return Json();
  Json json = Json::parse(answer.body, nullptr, false);
  if (answer.status >= 200 && answer.status < 300 && !json.is_discarded()) return json;
  return failure_of(json.is_object() ? json : Json::object(), answer, asked);
}

std::variant<AdminAnswer, Failure> ApiRuleBook::send(const AdminRequest& request) const {
  auto sent = client_.send(request);
  if (const auto* why = std::get_if<std::string>(&sent)) {
    return Failure{"sluice rules: " + *why, "is the server running, and is this its admin door?", kFailed};
  }
  return std::get<AdminAnswer>(std::move(sent));
}

RuleBook::Answer ApiRuleBook::ask(const AdminRequest& request, const std::string& file) const {
  const auto sent = send(request);
  if (const auto* failure = std::get_if<Failure>(&sent)) return *failure;
  return read_answer(std::get<AdminAnswer>(sent), {"rules", client_.url(), file});
}

RuleBook::Answer ApiRuleBook::list() {
  Json all = Json::array();
  std::string next;
  // A server gives pages; each begins behind the last.
  do {
    Answer page = ask({.path = fmt::format("{}?limit=1000{}{}", kRules, next.empty() ? "" : "&after=", next)});
    if (std::holds_alternative<Failure>(page)) return page;
    const Json& json = std::get<Json>(page);
    for (const Json& row : json.value("rules", Json::array())) all.push_back(row);
    const auto following = json.find("next");
    const std::string after = following == json.end() || following->is_null() ? "" : following->dump();
    if (after == next) break;
    next = after;
  } while (!next.empty());
  return all;
}

RuleBook::Answer ApiRuleBook::create(const std::string& rule) {
  return ask({.method = "POST", .path = std::string(kRules), .body = rule});
}

RuleBook::Answer ApiRuleBook::change(int64_t id, int64_t version, const std::string& fields) {
  return ask({.method = "PATCH", .path = path_of(id), .body = fields, .if_match = etag_of(version)});
}

std::optional<Failure> ApiRuleBook::remove(int64_t id, int64_t version) {
  const Answer answer = ask({.method = "DELETE", .path = path_of(id), .if_match = etag_of(version)});
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  return std::nullopt;
}

RuleBook::Answer ApiRuleBook::history(std::optional<int64_t> id, size_t most) {
  const std::string path = (id ? path_of(*id) : std::string(kRules)) + "/history";
  Answer answer = ask({.path = fmt::format("{}?limit={}", path, most)});
  if (std::holds_alternative<Failure>(answer)) return answer;
  return std::get<Json>(answer).value("changes", Json::array());
}

RuleBook::Text ApiRuleBook::read_file() {
  const auto sent = send({.path = std::string(kRules) + "/file"});
  if (const auto* failure = std::get_if<Failure>(&sent)) return *failure;
  const auto& answer = std::get<AdminAnswer>(sent);
  const Answer read = read_answer(answer, {"rules", client_.url()});
  if (const auto* failure = std::get_if<Failure>(&read)) return *failure;
  return answer.body;
}

RuleBook::Answer ApiRuleBook::write_file(const std::string& text, const std::string& name, bool replaces) {
  return ask({.method = replaces ? "PUT" : "PATCH",
              .path = fmt::format("{}/file?name={}", kRules, percent_encoded(name)),
              .body = text,
              .if_match = replaces ? "*" : ""},
             name);
}

}  // namespace sluice::cli
