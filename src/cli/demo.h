// What `sluice serve --demo` serves, and what it tells people to try.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/output.h"
#include "config/secret.h"
#include "net/endpoint.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/rule_table.h"

namespace sluice::cli {

// Rules small enough to be felt by hand, for a table that never had any. Nothing, or why that failed.
std::optional<std::string> fill_with_demo_rules(rules::RuleTable& table, const rules::TableName& name);

// A token for the admin door, kept in a file that only its owner can read: made once, the same ever after.
std::variant<config::Secret, Failure> demo_token(const std::filesystem::path& file);

// What whoever comes to a door must bring.
struct DemoManner {
  bool is_encrypted = false;
  bool wants_token = false;
};

// Where the doors of a server are open, the first of each, and where its rules and its token are.
struct DemoPlaces {
  std::string http;
  net::Endpoint resp;
  std::string admin;
  std::string rules;                 // sqlite:FILE
  std::string database;              // that file; empty where rules are elsewhere
  std::string token_file;            // empty where the token is somebody's own
  bool has_demo_rules = false;       // and not others, which were there before
  std::vector<std::string> added{};  // of the rules that the guide adds, those that are there already
  DemoManner http_manner{};
  DemoManner resp_manner{};
  DemoManner admin_manner{};  // the token: to look, too
};

// Whether they are in force.
bool has_demo_rules(rules::RuleTable& table);
// Of an earlier time.
std::vector<std::string> demo_rules_added(rules::RuleTable& table);

// Lines to type, each with what it does. A token is in none of them: they read it from a variable, or its file.
std::string demo_guide(const DemoPlaces& places);

}  // namespace sluice::cli
