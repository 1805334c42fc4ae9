// /admin/v1/rules: the rules of a table, seen and changed. docs/admin.md describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doors/admin/gate.h"
#include "doors/admin/preconditions.h"
#include "doors/admin/rule_desk.h"
#include "doors/admin/sources.h"
#include "doors/http/router.h"
#include "rules/table/editor.h"

namespace sluice::doors::admin {

// Used by one thread. Asks the database on that thread: the admin door's, who wait for nobody but one another.
class RulesRoutes {
 public:
  static constexpr std::string_view kPath = "/admin/v1/rules";

  // All must outlive it.
  RulesRoutes(const Sources& sources, const Gate& gate)
      : sources_(sources), gate_(gate), desk_(sources.table, sources.time) {}

  // For those who may see; what changes something, or shows secrets, for those with the token.
  std::vector<http::Route> routes();

 private:
  using Request = http::Request;
  using Response = http::Response;
  using Answer = void (RulesRoutes::*)(const Request&, Response&);

  // What wants the token, beside being let see.
  enum class Wants : uint8_t { kNothing, kToChange, kAlways };

  http::Handler answered_by(Answer answer);
  // Lets nobody in where rules are not in a table.
  http::Guard guard(Wants wants) const;

  void answer_all(const Request& request, Response& response);
  void answer_one(const Request& request, Response& response);
  void validate(const Request& request, Response& response);
  void send_history(const Request& request, Response& response);
  void answer_file(const Request& request, Response& response);
  void answer_top_level(const Request& request, Response& response);
  void answer_field(const Request& request, Response& response);

  void import_file(rules::RuleTable& rows, const Request& request, Response& response);
  void list(const Request& request, Response& response);
  void show(int64_t id, const Request& request, Response& response);
  void change(int64_t id, const Request& request, Response& response);
  void send_history_of(std::optional<int64_t> id, const Request& request, Response& response);
  void show_field(const std::string& value, const Request& request, Response& response);
  void change_field(const std::string& field, const std::optional<std::string>& value, const Request& request,
                    Response& response);

  // The table; none: the response has been sent.
  rules::RuleTable* table(Response& response);
  rules::Editor editor(rules::RuleTable& table, const Request& request) const;
  // Which version a change is meant for; none: the response has been sent.
  std::optional<rules::Expected> expected(int64_t id, const Request& request, Response& response);
  void fail(const sql::Fault& fault, Response& response);
  void finish(const rules::EditResult& result, int status, Response& response);

  const Sources& sources_;
  const Gate& gate_;
  RuleDesk desk_;
};

}  // namespace sluice::doors::admin
