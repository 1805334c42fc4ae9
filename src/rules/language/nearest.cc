#include "rules/language/nearest.h"

#include <vector>

#include "rules/language/faults.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

// What other limiters call things, and how it is written here.
struct Foreign {
  std::string_view name;
  const ObjectSpec& object;
  std::string_view hint;
};

constexpr std::string_view kPerMinute =
    "there is no rate per minute: write 100 per minute as rps: 1.6666666666666667 (100 / 60), or as a window: limit: "
    "100, "
    "window_seconds: 60 with the algorithm sliding_window_counter, which estimates, or sliding_window_log, which is "
    "exact";
constexpr std::string_view kPerHour =
    "there is no rate per hour: write 1000 per hour as rps: 0.2777777777777778 (1000 / 3600), or as a window: limit: "
    "1000, window_seconds: 3600 with the algorithm sliding_window_counter, which estimates, or sliding_window_log, "
    "which is exact";
constexpr std::string_view kPerDay =
    "there is no rate per day: write 5000 per day as rps: 0.05787037037037037 (5000 / 86400), or as a window: limit: "
    "5000, window_seconds: 86400 with the algorithm sliding_window_counter, which estimates, or sliding_window_log, "
    "which is exact";
constexpr std::string_view kOneCost =
    "a request has one cost for all limits: write it in algorithm_config beside limits";

const Foreign kForeign[] = {
    {"rpm", kAlgorithmConfigSpec, kPerMinute},
    {"per_minute", kAlgorithmConfigSpec, kPerMinute},
    {"requests_per_minute", kAlgorithmConfigSpec, kPerMinute},
    {"tokens_per_minute", kAlgorithmConfigSpec, kPerMinute},
    {"rph", kAlgorithmConfigSpec, kPerHour},
    {"per_hour", kAlgorithmConfigSpec, kPerHour},
    {"requests_per_hour", kAlgorithmConfigSpec, kPerHour},
    {"tokens_per_hour", kAlgorithmConfigSpec, kPerHour},
    {"rpd", kAlgorithmConfigSpec, kPerDay},
    {"per_day", kAlgorithmConfigSpec, kPerDay},
    {"requests_per_day", kAlgorithmConfigSpec, kPerDay},
    {"tokens_per_day", kAlgorithmConfigSpec, kPerDay},
    {"rate", kAlgorithmConfigSpec, "the rate is called rps, or tokens_per_second"},
    {"per_second", kAlgorithmConfigSpec, "the rate is called rps, or tokens_per_second"},
    {"requests_per_second", kAlgorithmConfigSpec, "the rate is called rps, or tokens_per_second"},
    {"rate_per_second", kAlgorithmConfigSpec, "the rate is called rps, or tokens_per_second"},
    {"capacity", kAlgorithmConfigSpec, "the capacity is called burst"},
    {"burst_capacity", kAlgorithmConfigSpec, "the capacity is called burst"},
    {"window", kAlgorithmConfigSpec, "write it in seconds: window_seconds"},
    {"window_ms", kAlgorithmConfigSpec, "write it in seconds: window_seconds"},
    {"cost", kAlgorithmConfigSpec, "a cost that is always the same is called fixed_cost"},
    {"cost_source", kLimitSpec, kOneCost},
    {"fixed_cost", kLimitSpec, kOneCost},
    {"default_cost", kLimitSpec, kOneCost},
    {"max_cost", kLimitSpec, kOneCost},
    {"rps", kRuleSpec, "it belongs into algorithm_config"},
    {"tokens_per_second", kRuleSpec, "it belongs into algorithm_config"},
    {"burst", kRuleSpec, "it belongs into algorithm_config"},
    {"burst_seconds", kRuleSpec, "it belongs into algorithm_config"},
    {"window_seconds", kRuleSpec, "it belongs into algorithm_config"},
    {"limit", kRuleSpec, "it belongs into algorithm_config"},
    {"fixed_cost", kRuleSpec, "it belongs into algorithm_config"},
    {"id", kRuleSpec, "a rule has a name"},
    {"key", kRuleSpec, "the keys are called limit_keys, and are a list"},
    {"keys", kRuleSpec, "the keys are called limit_keys"},
    {"conditions", kRuleSpec, "the conditions are called match"},
    {"selector", kRuleSpec, "a selector belongs to a policy; a rule has match"},
    {"name", kPolicySpec, "a policy has an id"},
    {"match", kPolicySpec, "a policy has a selector; its rules have match"},
    {"rule_id", kTableRowSpec, "the row's number is the database's own: leave it out"},
    {"created_at", kTableRowSpec, "the row's age is the database's own: leave it out"},
};

// Limits have the fields of algorithm_config but for the costs, and share what is said of them.
bool is_about(const Foreign& row, const ObjectSpec& object) {
  return &row.object == &object || (&row.object == &kAlgorithmConfigSpec && &object == &kLimitSpec);
}

}  // namespace

std::string hint_for_unknown_field(std::string_view name, const ObjectSpec& object) {
  for (const Foreign& row : kForeign) {
    if (row.name == name && is_about(row, object)) return std::string(row.hint);
  }
  std::vector<std::string_view> names;
  std::vector<std::string> own;
  for (const FieldSpec& field : object.fields) {
    names.push_back(field.name);
    if (field.alias_of.empty() && field.name[0] != '$') own.emplace_back(field.name);
  }
  if (const auto meant = nearest(name, names)) return "did you mean " + quote(*meant) + "?";
  return "its fields are " + listing(own);
}

}  // namespace sluice::rules::language
