#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/violation_book.h"

namespace sluice::cli {
namespace {

using Json = ViolationBook::Json;

constexpr size_t kPage = 1000;

constexpr const char* kHelp =
    "Examples:\n"
    "  sluice violations list --user 42 --since 1h        what user 42 was refused within an hour\n"
    "  sluice violations list --ip 203.0.113.7            the same for an address\n"
    "  sluice violations list --since 2026-01-31T12:00:00Z --json\n"
    "  sluice violations list --admin http://127.0.0.1:8090   of a running server\n"
    "\n"
    "A row may stand for many rejections of one key: `times` says of how many.";

struct Flags {
  Place place;
  doors::QueryFields filters;
  size_t most = 50;
  bool json = false;
};

// The bucket that was empty; what else it was, where it was no such thing.
std::string bucket_text(const Json& row) {
  const std::string reason = field(row, "reason");
  const std::string what =
      field(row, "bucket_key").empty() ? reason + " " + field(row, "rule") : field(row, "bucket_key");
  return what + (reason == "cost_exceeds_capacity" ? " (cost)" : "") +
         (row.value("is_shadow", false) ? " (shadow)" : "");
}

std::string violations_table(const Json& rows, const Style& style) {
  if (rows.empty()) return "nobody was refused\n";
  Table table{{"when", "user", "address", "endpoint", "bucket", "left", "times"}, {}};
  for (const Json& row : rows) {
    table.rows.push_back({field(row, "requested_at").substr(0, 19), field(row, "user_id"), field(row, "ip_address"),
                          field(row, "endpoint"), bucket_text(row), field(row, "tokens_at_time"), field(row, "count")});
  }
  return render_table(table, style);
}

// Page after page, until there are as many as are wanted.
std::variant<Json, Failure> read_all(ViolationBook& book, const Flags& flags) {
  Json all = Json::array();
  std::string next;
  while (all.size() < flags.most) {
    doors::QueryFields query = flags.filters;
    query.emplace_back("limit", std::to_string(std::min(kPage, flags.most - all.size())));
    if (!next.empty()) query.emplace_back("after", next);
    auto page = book.page(query);
    if (std::holds_alternative<Failure>(page)) return page;
    const Json& json = std::get<Json>(page);
    for (const Json& row : json.value("violations", Json::array())) all.push_back(row);
    const std::string following = field(json, "next");
    if (following.empty() || following == next) break;
    next = following;
  }
  return all;
}

int list(const Flags& flags) {
  const auto opened = open_violation_book(flags.place);
  if (const auto* failure = std::get_if<Failure>(&opened)) return fail(*failure);
  const auto rows = read_all(*std::get<std::unique_ptr<ViolationBook>>(opened), flags);
  if (const auto* failure = std::get_if<Failure>(&rows)) return fail(*failure);
  Output out;
  if (flags.json) {
    out.print("{}\n", std::get<Json>(rows).dump(2));
  } else {
    out.write(violations_table(std::get<Json>(rows), style_for(surroundings_of_stdout(), {})));
  }
  return out.finish();
}

// An option, and the parameter of the API that it becomes.
struct Filter {
  const char* option;
  const char* parameter;
  const char* help;
  const char* type;
};

void add_filter(CLI::App& app, Flags& flags, const Filter& filter) {
  const auto keep = [&flags, parameter = filter.parameter](const std::string& value) {
    flags.filters.emplace_back(parameter, value);
  };
  app.add_option_function<std::string>(filter.option, keep, filter.help)->type_name(filter.type);
}

}  // namespace

Action violations_command(CLI::App& app) {
  app.footer(kHelp);
  app.require_subcommand(0, 1);
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("list", "Show who was refused what, the newest first");
  command->set_help_flag("-h,--help", "Show this help");
  add_filter(*command, *flags, {"--user", "user_id", "Only of this user: the attribute user_id", "ID"});
  add_filter(*command, *flags, {"--ip", "ip", "Only of this address", "ADDRESS"});
  add_filter(*command, *flags, {"--key", "key", "Only of this bucket", "KEY"});
  add_filter(*command, *flags, {"--endpoint", "endpoint", "Only of this path", "PATH"});
  add_filter(*command, *flags, {"--rule", "rule_id", "Only of the rule with this id", "ID"});
  add_filter(*command, *flags, {"--shadow", "shadow", "true: only of rules in shadow; false: only of others", "BOOL"});
  add_filter(*command, *flags,
             {"--since", "since", "A time such as 2026-01-31T12:00:00Z, or how long ago: 1h", "TIME"});
  add_filter(*command, *flags, {"--until", "until", "Likewise; before that", "TIME"});
  command->add_option("--limit", flags->most, "How many rows (default 50)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--json", flags->json, "Print them as JSON");
  add_place_options(*command, flags->place);
  command->footer(kHelp);
  return [flags, command] {
    if (command->parsed()) return list(*flags);
    return fail({"sluice violations: say what to do: list", "'sluice violations --help' shows examples", kBadUsage});
  };
}

}  // namespace sluice::cli
