#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/input.h"
#include "cli/output.h"
#include "cli/rules_commands.h"
#include "rules/language/load.h"
#include "rules/language/remarks.h"
#include "rules/language/schema.h"

namespace sluice::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kLintHelp =
    "Exit code 0: every file can be served. 2: some cannot; the faults are on stderr (with --json, on stdout).\n"
    "The files of a folder are checked as one set of rules, as 'sluice serve --rules FOLDER' takes them.\n"
    "\n"
    "Try it without a file:\n"
    "  echo '{\"rules\": [{\"name\": \"all\", \"limit_keys\": [\"ip:address\"],\n"
    "    \"algorithm_config\": {\"rps\": 10, \"burst\": 50}}]}' | sluice rules lint -";

struct LintFlags {
  std::vector<std::string> files;
  bool json = false;
};

// What a set of rules holds, in numbers.
struct Inventory {
  size_t policies = 0;
  size_t rules = 0;
  size_t limits = 0;
  size_t kill_switches = 0;
  size_t expired = 0;  // of the kill switches
  rules::LeftOut left_out;
};

void count(const std::vector<rules::KillSwitch>& switches, Inventory& inventory) {
  const int64_t now_us = static_cast<int64_t>(std::time(nullptr)) * 1'000'000;
  for (const auto& kill_switch : switches) {
    ++inventory.kill_switches;
    if (kill_switch.has_expired(now_us)) ++inventory.expired;
  }
}

Inventory inventory_of(const rules::Loaded& loaded) {
  const rules::RuleSet& set = *loaded.rules;
  Inventory inventory;
  inventory.left_out = loaded.left_out;
  inventory.policies = set.policies.size();
  count(set.kill_switches, inventory);
  for (const auto& policy : set.policies) {
    inventory.rules += policy.rules.size();
    for (const auto& rule : policy.rules) inventory.limits += rule.limits.size();
    count(policy.kill_switches, inventory);
  }
  return inventory;
}

std::string counted(size_t number, const char* one, const char* several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

std::string summary_of_left_out(const rules::LeftOut& left_out) {
  std::string text;
  if (!left_out.policies.empty()) text += counted(left_out.policies.size(), "policy", "policies");
  if (!left_out.rules.empty()) text += (text.empty() ? "" : ", ") + counted(left_out.rules.size(), "rule", "rules");
  if (!text.empty()) text = "; not active: " + text;
  if (left_out.kill_switches > 0) {
    text += "; without effect: " + counted(left_out.kill_switches, "kill switch", "kill switches") + " in shadow";
  }
  return text;
}

std::string summary(const Inventory& inventory) {
  std::string text = counted(inventory.policies, "policy", "policies") + ", " +
                     counted(inventory.rules, "rule", "rules") + ", " + counted(inventory.limits, "limit", "limits");
  if (inventory.kill_switches > 0) text += ", " + counted(inventory.kill_switches, "kill switch", "kill switches");
  if (inventory.expired > 0) text += fmt::format(" ({} expired, and may be taken out)", inventory.expired);
  return text + summary_of_left_out(inventory.left_out);
}

rules::Loaded load(const std::string& file) {
  if (file != "-") return rules::load_file(file);
  const std::string text = read_stdin();
  return rules::load_text(text, "<stdin>", rules::guess_format("", text));
}

ordered_json as_json(const std::string& file, const rules::Loaded& loaded) {
  ordered_json entry = {{"file", file}, {"ok", loaded.rules != nullptr}};
  if (loaded.rules != nullptr) {
    const Inventory inventory = inventory_of(loaded);
    entry["policies"] = inventory.policies;
    entry["rules"] = inventory.rules;
    entry["limits"] = inventory.limits;
    entry["kill_switches"] = inventory.kill_switches;
    entry["expired_kill_switches"] = inventory.expired;
    entry["not_active"] = {{"policies", inventory.left_out.policies.size()},
                           {"rules", inventory.left_out.rules.size()}};
    entry["kill_switches_in_shadow"] = inventory.left_out.kill_switches;
    entry["notes"] = rules::remarks_on(*loaded.rules);
    return entry;
  }
  entry["faults"] = ordered_json::array();
  for (const auto& fault : loaded.faults) {
    entry["faults"].push_back({{"file", fault.file},
                               {"line", fault.line},
                               {"column", fault.column},
                               {"field", fault.field},
                               {"message", fault.message},
                               {"hint", fault.hint}});
  }
  return entry;
}

int lint(const LintFlags& flags) {
  Output out;
  Output trouble(stderr);
  ordered_json report = {{"files", ordered_json::array()}};
  bool is_fine = true;
  for (const std::string& file : flags.files) {
    const auto loaded = load(file);
    is_fine = is_fine && loaded.rules != nullptr;
    if (flags.json) {
      report["files"].push_back(as_json(file, loaded));
    } else if (loaded.rules != nullptr) {
      out.print("{}: {}\n", file, summary(inventory_of(loaded)));
      for (const std::string& remark : rules::remarks_on(*loaded.rules)) out.print("  note: {}\n", remark);
    } else {
      for (const auto& fault : loaded.faults) trouble.print("{}\n", describe(fault));
      trouble.print("{}: {}\n", file, counted(loaded.faults.size(), "fault", "faults"));
    }
  }
  // Names of files may be any bytes; JSON is text.
  if (flags.json) out.print("{}\n", report.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  trouble.finish();
  const int printed = out.finish();
  return printed != kSuccess ? printed : is_fine ? kSuccess : kBadUsage;
}

int print_schema() {
  Output out;
  out.write(rules::rules_schema());
  return out.finish();
}

}  // namespace

Action rules_lint(CLI::App& app) {
  const auto flags = std::make_shared<LintFlags>();
  app.add_option("FILE", flags->files, "JSON or YAML, or a folder of such files; - for stdin")
      ->required()
      ->type_name("");
  app.add_flag("--json", flags->json, "Print faults, or what files hold, as JSON");
  app.footer(kLintHelp);
  return [flags] { return lint(*flags); };
}

Action rules_schema(CLI::App&) { return print_schema; }

}  // namespace sluice::cli
