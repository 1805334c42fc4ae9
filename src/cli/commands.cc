#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"

namespace sluice::cli {
namespace {

struct Row {
  const char* name;
  const char* purpose;
  Setup* setup;
};

constexpr Row kCommands[] = {
    {"check", "Decide one request by a rules file, no server needed", check_command},
    {"rules", "Check, show and change rules: of files, databases and servers", rules_command},
    {"serve", "Serve decisions over HTTP and the Redis protocol", serve_command},
    {"simulate", "Show what limits do to traffic: a table and a chart, no server needed", simulate_command},
    {"version", "Print the version", version_command},
    {"violations", "Show who was refused what", violations_command},
};

struct Ready {
  const CLI::App* app;
  Action action;
};

std::string called_as = "sluice";

std::string usage_of(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "sluice" : "sluice " + chosen.front()->get_name();
}

// CLI11 speaks of what it could not place; this says it in terms of what the person typed.
Failure explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string usage = usage_of(app);
  const std::string hint =
      usage == "sluice" ? "'sluice --help' lists the commands" : "'" + usage + " --help' shows the options";
  const auto extras = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty()) {
    return {usage + ": " + error.what(), hint, kBadUsage};
  }
  const std::string& first = extras.front();
  const bool is_option = first.rfind('-', 0) == 0;
  const char* what = is_option           ? "there is no option '"
                     : usage == "sluice" ? "there is no command '"
                                         : "did not expect '";
  return {usage + ": " + what + first + "'", hint, kBadUsage};
}

int run_chosen(const std::vector<Ready>& commands) {
  for (const Ready& command : commands) {
    if (command.app->parsed()) return command.action();
  }
  return fail({"sluice: a command is missing", "'sluice --help' lists the commands", kBadUsage});
}

}  // namespace

const std::string& program() { return called_as; }

int run(int argc, const char* const* argv) {
  if (argc > 0) called_as = argv[0];
  CLI::App app("Rate limiting by token bucket, exact in every home.", "sluice");
  app.set_help_flag("-h,--help", "Show this help");
  bool wants_version = false;
  app.add_flag("--version", wants_version, "Print the version");
  app.require_subcommand(0, 1);
  app.footer(
      "Start here:\n"
      "  sluice serve --demo             a server with rules to try things on\n"
      "  sluice simulate --demo          see a burst, a refusal and a recovery, side by side\n"
      "  sluice simulate --help          try your own rate, burst and traffic\n"
      "  sluice check --help             ask what your rules say of a request");
  std::vector<Ready> commands;
  for (const Row& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.purpose);
    command->set_help_flag("-h,--help", "Show this help");
    commands.push_back({command, row.setup(*command)});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // Who asks what a command does, and there is none, is not to think that there is.
    const auto extras = app.remaining();
    if (!extras.empty()) return fail(explain(app, CLI::ExtrasError(extras)));
    Output out;
    out.write(app.help());
    return out.finish();
  } catch (const CLI::ParseError& error) {
    return fail(explain(app, error));
  }
  return wants_version ? print_version() : run_chosen(commands);
}

}  // namespace sluice::cli
