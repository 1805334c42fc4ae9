#include "cli/rule_book.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <system_error>

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

// A name that was mistyped is no empty table. Of a folder that is not there, whoever opens the file tells more.
bool is_mistyped(const Place& place, const config::Source& source) {
  std::error_code error;
  const std::filesystem::path folder = source.path.has_parent_path() ? source.path.parent_path() : ".";
  return !place.rules.empty() && source.kind == config::Source::Kind::kSqlite &&
         !std::filesystem::exists(source.path, error) && std::filesystem::exists(folder, error);
}

}  // namespace

std::variant<std::unique_ptr<RuleBook>, Failure> open_book(const Place& place, BookFor use) {
  if (!place.admin.empty()) {
    auto client = admin_client(place);
    if (const auto* failure = std::get_if<Failure>(&client)) return *failure;
    return std::make_unique<ApiRuleBook>(std::get<AdminClient>(std::move(client)));
  }
  const auto database = database_of(place);
  if (const auto* failure = std::get_if<Failure>(&database)) return *failure;
  const auto& source = std::get<config::Source>(database);
  if (use == BookFor::kOther && is_mistyped(place, source)) {
    return Failure{"sluice rules: there is no " + source.path.string(),
                   "--rules names the database; 'sluice rules add' and 'sluice serve' make one", kFailed};
  }
  auto table = open_rules(source, OpenedFor::kCommand);
  if (!table) return Failure{"sluice rules: " + table.fault().message, table.fault().hint, kFailed};
  return std::make_unique<TableRuleBook>(std::move(*table), table_name(source), user_name());
}

}  // namespace sluice::cli
