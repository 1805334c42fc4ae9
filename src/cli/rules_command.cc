#include <CLI/CLI.hpp>
#include <vector>

#include "cli/output.h"
#include "cli/rules_commands.h"

namespace sluice::cli {
namespace {

struct Row {
  const char* name;
  const char* purpose;
  Setup* setup;
};

constexpr Row kCommands[] = {
    {"lint", "Check files: every fault of each, or what it holds", rules_lint},
    {"schema", "Print the language as a JSON Schema, for editors", rules_schema},
    {"list", "Show the rules of a database or a server", rules_list},
    {"add", "Add a rule", rules_add},
    {"set", "Change a rule", rules_set},
    {"remove", "Remove a rule", rules_remove},
    {"import", "Put a rules file into the database", rules_import},
    {"export", "Write the rules as a file", rules_export},
    {"history", "Show who changed what, and when", rules_history},
};

constexpr const char* kHelp =
    "Examples:\n"
    "  sluice rules lint rules.json                check a file; every fault is told with line and column\n"
    "  sluice rules lint a.yaml b.yaml             several, each for itself\n"
    "  sluice rules lint rules.d                   a folder, whose files are one set of rules\n"
    "  generate-rules | sluice rules lint -        what another program writes\n"
    "  sluice rules schema > rules.schema.json     completion and checks in editors\n"
    "\n"
    "  sluice rules add 'user:{user_id}' --rate 10 --burst 50\n"
    "  sluice rules add 'user:{user_id}' --rate 100 --burst 500 --plan pro\n"
    "  sluice rules set 'user:{user_id}@pro' --rate 200\n"
    "  sluice rules list\n"
    "\n"
    "Rules are in sluice-data/sluice.db, unless you say where: --rules sqlite:FILE, --rules postgres://...,\n"
    "or --admin URL for a running server. The language is described in docs/rules.md.";

struct Ready {
  const CLI::App* app;
  Action action;
};

}  // namespace

Action rules_command(CLI::App& app) {
  app.footer(kHelp);
  app.require_subcommand(0, 1);
  std::vector<Ready> commands;
  for (const Row& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.purpose);
    command->set_help_flag("-h,--help", "Show this help");
    commands.push_back({command, row.setup(*command)});
  }
  return [commands = std::move(commands)] {
    for (const Ready& command : commands) {
      if (command.app->parsed()) return command.action();
    }
    return fail({"sluice rules: say what to do: lint, schema, list, add, set, remove, import, export or history",
                 "'sluice rules --help' shows examples", kBadUsage});
  };
}

}  // namespace sluice::cli
