// For tests: an admin door whose rules are in a SQLite file of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "doors/admin/admin_testing.h"
#include "rules/table/sqlite_table_testing.h"

namespace sluice::doors::admin {

class RulesUnderTest {
 public:
  RulesUnderTest() {
    test.sources.table = {table.name(),
                          [this]() -> sql::Outcome<std::unique_ptr<rules::RuleTable>> {
                            ++opened;
                            if (is_away) return sql::Fault{sql::Trouble::kAway, "the database is away"};
                            return rules::sqlite::open_rules(table.file());
                          },
                          [this] { ++changed; }};
    Access access("secret", "admin");
    access.add("anns", "ann");
    test.set({.token = access});
  }

  std::string get(const std::string& below, const std::string& head = "") {
    return test.ask("GET", "/admin/v1/rules" + below, head);
  }
  nlohmann::json json(const std::string& below) { return nlohmann::json::parse(http::body_of(get(below))); }
  // With a token.
  std::string ask(const std::string& method, const std::string& below, const std::string& body = "",
                  const std::string& match = "") {
    const std::string head = match.empty() ? "" : "If-Match: " + match + "\r\n";
    return test.ask(method, "/admin/v1/rules" + below, bearer("anns") + head, body);
  }
  // The number of a rule that is there now.
  std::string add(const std::string& pattern, const std::string& rest = "") {
    const std::string response = ask("POST", "", rules::testing::body(pattern, rest));
    EXPECT_EQ(http::status_of_text(response), 201) << response;
    return "/" + nlohmann::json::parse(http::body_of(response))["rule_id"].dump();
  }

  rules::testing::SqliteTable table;
  bool is_away = false;
  int opened = 0;
  int changed = 0;
  AdminUnderTest test;
};

inline nlohmann::json json_of(const std::string& response) { return nlohmann::json::parse(http::body_of(response)); }

}  // namespace sluice::doors::admin
