#include "rules/language/reach.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "rules/language/covering.h"
#include "rules/language/implies.h"

namespace sluice::rules::language {
namespace {

constexpr size_t kMostComparisons = 4'000'000;
constexpr size_t kMostCellsOfAll = 100'000;
constexpr size_t kLongestPrefix = 256;

// A tier that holds for all of a condition's values must, above all, hold for the first: tiers are filed under what
// they would need to say for that. Each needs to be filed under one of its conditions only.
using Handle = std::string;

std::string source_part(const Condition& condition) { return condition.source.text() + '\n'; }
Handle value_handle(const std::string& source, std::string_view value) { return source + "=" + std::string(value); }
Handle prefix_handle(const std::string& source, std::string_view prefix) { return source + "^" + std::string(prefix); }
Handle network_handle(const std::string& source, const Network& network) { return source + "/" + network.text(); }

// Under which a tier with this condition is filed.
std::vector<Handle> handles_of(const Condition& condition) {
  const std::string source = source_part(condition);
  std::vector<Handle> handles;
  for (const auto& value : condition.values) handles.push_back(value_handle(source, value));
  for (const auto& prefix : condition.prefixes) handles.push_back(prefix_handle(source, prefix));
  for (const auto& network : condition.networks) handles.push_back(network_handle(source, network));
  return handles;
}

// Under which tiers that hold wherever this condition does are to be found. Prefixes are many, and most files have
// none.
std::vector<Handle> wider_handles(const Condition& condition, bool with_prefixes) {
  const std::string source = source_part(condition);
  std::vector<Handle> handles;
  if (!condition.networks.empty()) {
    const Network& first = condition.networks.front();
    for (int bits = first.bits; bits >= 0; --bits) {
      handles.push_back(network_handle(source, Network{first.address.masked(bits), bits}));
    }
    return handles;
  }
  const std::string& first = condition.values.empty() ? condition.prefixes.front() : condition.values.front();
  if (!condition.values.empty()) handles.push_back(value_handle(source, first));
  if (!with_prefixes) return handles;
  for (size_t length = std::min(first.size(), kLongestPrefix);; --length) {
    const std::string_view prefix = std::string_view(first).substr(0, length);
    handles.push_back(prefix_handle(source, prefix));
    if (length == 0) return handles;
  }
}

// A shadow rule takes no place from an enforced one.
bool may_hide(const Rule& earlier, const Rule& later) {
  return earlier.mode == Mode::kEnforce || later.mode == Mode::kShadow;
}

bool holds_wherever(const Rule& earlier, const Region& region) {
  return std::all_of(earlier.match.begin(), earlier.match.end(), [&](const Condition& wide) {
    return std::any_of(region.begin(), region.end(),
                       [&](const Condition& narrow) { return narrow.source == wide.source && implies(narrow, wide); });
  });
}

// How much more may be done.
struct Budget {
  size_t comparisons = kMostComparisons;
  size_t cells = kMostCellsOfAll;
};

// The tiers of one limit, in the order in which they are asked.
class Tiers {
 public:
  Tiers(std::span<const Rule* const> rules, const Selector& selector, Budget& budget)
      : rules_(rules), selector_(selector), budget_(budget) {}

  void find_hidden(std::vector<size_t> tiers, std::vector<Hidden>& found) {
    std::stable_sort(tiers.begin(), tiers.end(),
                     [&](size_t a, size_t b) { return rules_[a]->priority > rules_[b]->priority; });
    for (const size_t tier : tiers) {
      for (const Condition& condition : rules_[tier]->match) {
        has_prefixes_ = has_prefixes_ || !condition.prefixes.empty();
        for (Handle& handle : handles_of(condition)) ++frequency_[std::move(handle)];
      }
    }
    for (const size_t tier : tiers) {
      auto by = hiders_of(*rules_[tier]);
      if (by.empty()) {
        file(tier);
      } else {
        found.push_back({tier, std::move(by)});
      }
    }
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  std::vector<size_t> hiders_of(const Rule& rule) {
    const Region region = region_of(rule, selector_);
    const auto find = [&](const Region& part) { return hider_of(rule, part); };
    if (const auto one = find(region)) return {*one};
    return cover(region, networks_, find, budget_.cells);
  }

  // One that takes from the rule all requests of the region.
  std::optional<size_t> hider_of(const Rule& rule, const Region& region) {
    for (const size_t earlier : unconditional_) {
      if (may_hide(*rules_[earlier], rule)) return earlier;
    }
    const size_t weight = weight_of(region);
    for (const Condition& condition : region) {
      for (const Handle& handle : wider_handles(condition, has_prefixes_)) {
        const auto filed = filed_.find(handle);
        if (filed == filed_.end()) continue;
        for (const size_t earlier : filed->second) {
          if (!spend(weight + weight_of(rules_[earlier]->match))) return std::nullopt;
          if (may_hide(*rules_[earlier], rule) && holds_wherever(*rules_[earlier], region)) return earlier;
        }
      }
    }
    return std::nullopt;
  }

  // Long lists take longer to compare.
  static size_t weight_of(const Region& region) {
    constexpr size_t kFew = 8;
    size_t weight = 0;
    for (const Condition& each : region) weight += each.values.size() + each.prefixes.size() + each.networks.size();
    return weight / kFew;
  }

  bool spend(size_t weight) {
    if (budget_.comparisons <= weight) {
      budget_.comparisons = 0;
      return false;
    }
    budget_.comparisons -= 1 + weight;
    return true;
  }

  // Under the condition that the fewest others share, so that lists stay short.
  void file(size_t tier) {
    const auto& match = rules_[tier]->match;
    if (match.empty()) {
      unconditional_.push_back(tier);
      return;
    }
    for (const Condition& condition : match) networks_.insert(condition.networks.begin(), condition.networks.end());
    std::vector<Handle> best;
    size_t least = kNone;
    for (const Condition& condition : match) {
      auto handles = handles_of(condition);
      size_t most = 0;
      for (const Handle& handle : handles) most = std::max(most, frequency_[handle]);
      if (most >= least) continue;
      least = most;
      best = std::move(handles);
    }
    for (Handle& handle : best) filed_[std::move(handle)].push_back(tier);
  }

  std::span<const Rule* const> rules_;
  const Selector& selector_;
  Budget& budget_;
  std::unordered_map<Handle, size_t> frequency_;
  std::unordered_map<Handle, std::vector<size_t>> filed_;
  Networks networks_;  // of what is filed
  bool has_prefixes_ = false;
  std::vector<size_t> unconditional_;  // at most one of each mode
};

// The same for the same keys in any order.
std::string group_of(const Rule& rule) {
  std::vector<std::string> keys;
  for (const KeySource& key : rule.limit_keys) keys.push_back(key.text());
  std::sort(keys.begin(), keys.end());
  std::string group;
  for (const std::string& key : keys) group += key + '\n';
  return group;
}

}  // namespace

std::vector<Hidden> find_hidden(std::span<const Rule* const> rules, const Selector& selector) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < rules.size(); ++i) groups[group_of(*rules[i])].push_back(i);
  std::vector<Hidden> found;
  Budget budget;
  for (auto& [group, tiers] : groups) Tiers(rules, selector, budget).find_hidden(std::move(tiers), found);
  return found;
}

}  // namespace sluice::rules::language
