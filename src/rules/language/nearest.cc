#include "rules/language/nearest.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "rules/language/faults.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

constexpr size_t kLongestWord = 64;

// Case and the character between words are what people get wrong first.
char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' || c == ' ' ? '_' : c;
}

// How many characters must be put in, taken out, changed, or swapped with their neighbour.
size_t distance(std::string_view a, std::string_view b) {
  std::array<std::vector<size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  std::iota(rows[1].begin(), rows[1].end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& [before_last, last, row] = rows;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = last[j - 1] + (folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1);
      row[j] = std::min({changed, row[j - 1] + 1, last[j] + 1});
      const bool is_swap =
          i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return rows[1][b.size()];
}

// What other limiters call things, and how it is written here.
struct Foreign {
  std::string_view name;
  const ObjectSpec& object;
  std::string_view hint;
};

constexpr std::string_view kPerMinute =
    "there is no rate per minute: write 100 per minute as rps: 1.6666666666666667 (100 / 60), or as a window: limit: "
    "100, "
    "window_seconds: 60 with the algorithm sliding_window_counter";
constexpr std::string_view kPerHour =
    "there is no rate per hour: write 1000 per hour as rps: 0.2777777777777778 (1000 / 3600), or as a window: limit: "
    "1000, window_seconds: 3600 with the algorithm sliding_window_counter";
constexpr std::string_view kPerDay =
    "there is no rate per day: write 5000 per day as rps: 0.05787037037037037 (5000 / 86400), or as a window: limit: "
    "5000, window_seconds: 86400 with the algorithm sliding_window_counter";
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

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> words) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : words) {
    const size_t edits = distance(word, candidate);
    if (edits >= least) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

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
