// Any text, as JSON or as YAML by its first byte, is either rules that can be matched, or faults that can be shown.
#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "rules/language/load.h"
#include "rules/matcher.h"

namespace {

using namespace sluice;
using namespace sluice::rules;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_faults(const Loaded& loaded) {
  require(!loaded.faults.empty() && loaded.faults.size() <= 1'001);
  int last_line = 0;
  for (const Fault& fault : loaded.faults) {
    require(!fault.message.empty());
    // Only the count of those left out has no line.
    require(fault.line >= last_line || &fault == &loaded.faults.back());
    last_line = fault.line;
    for (const char c : describe(fault)) require(static_cast<unsigned char>(c) >= ' ' || c == '\n');
  }
}

void check_condition(const Condition& condition) {
  const int lists = !condition.values.empty() + !condition.prefixes.empty() + !condition.networks.empty();
  require(lists == 1);
  require(condition.networks.empty() || condition.source.kind == KeyKind::kIp);
}

void check_rules(const RuleSet& set) {
  std::set<std::string> ids;
  for (const Policy& policy : set.policies) {
    require(ids.insert(policy.id).second);
    std::set<std::string> names;
    for (const Rule& rule : policy.rules) {
      require(!rule.name.empty() && names.insert(rule.name).second);
      require(!rule.limits.empty() && rule.limits.size() <= 8);
      require(rule.cost.fixed.micros() > 0 && rule.cost.fallback.micros() > 0);
      for (const Condition& condition : rule.match) check_condition(condition);
    }
    for (const KillSwitch& kill_switch : policy.kill_switches) check_condition(kill_switch.condition);
  }
  for (const KillSwitch& kill_switch : set.kill_switches) check_condition(kill_switch.condition);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Loaded loaded = load_text(text, "fuzz", (data[0] & 1) == 0 ? Format::kJson : Format::kYaml);
  require((loaded.rules == nullptr) == !loaded.faults.empty());
  if (loaded.rules == nullptr) {
    check_faults(loaded);
    return 0;
  }
  check_rules(*loaded.rules);
  const Matcher matcher(loaded.rules);
  Evaluation evaluation;
  Request request;
  request.method = "GET";
  request.path = "/v1/a";
  request.host = "a.example.com";
  request.ip = "10.0.0.1";
  matcher.match(request, Now{}, nullptr, evaluation);
  return 0;
}
