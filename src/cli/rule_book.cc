#include "cli/rule_book.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/api_rule_book.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/table_rule_book.h"
#include "cli/wiring.h"

namespace sluice::cli {
namespace {

// Who is at the keyboard, for the history.
std::string user_name() {
  const passwd* user = getpwuid(getuid());
  return user != nullptr ? user->pw_name : "uid " + std::to_string(getuid());
}

}  // namespace

std::variant<std::unique_ptr<RuleBook>, Failure> open_book(const Place& place) {
  if (!place.admin.empty()) {
    auto client = admin_client(place);
    if (const auto* failure = std::get_if<Failure>(&client)) return *failure;
    return std::make_unique<ApiRuleBook>(std::get<AdminClient>(std::move(client)));
  }
  const auto database = database_of(place);
  if (const auto* failure = std::get_if<Failure>(&database)) return *failure;
  const auto& source = std::get<config::Source>(database);
  auto table = open_rules(source, OpenedFor::kCommand);
  if (!table) return Failure{"sluice rules: " + table.fault().message, table.fault().hint, kFailed};
  return std::make_unique<TableRuleBook>(std::move(*table), table_name(source), user_name());
}

}  // namespace sluice::cli
