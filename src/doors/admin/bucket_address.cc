#include "doors/admin/bucket_address.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "doors/query_string.h"
#include "rules/bucket_key.h"

namespace sluice::doors::admin {
namespace {

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct NamedQuery {
  std::string named;
  std::string rate;
  std::string burst;
};

std::optional<AddressFault> read_query(std::string_view text, NamedQuery& query) {
  for (const auto& [name, value] : parse_query(text)) {
    std::string* const field = name == "named"   ? &query.named
                               : name == "rate"  ? &query.rate
                               : name == "burst" ? &query.burst
                                                 : nullptr;
    if (field == nullptr) return AddressFault{400, "there is no parameter '" + name + "': named, rate and burst are"};
    *field = value;
  }
  if (!query.named.empty() && query.named != "1") {
    return AddressFault{400, "named must be 1, but is " + query.named};
  }
  if (query.named.empty() && !(query.rate.empty() && query.burst.empty())) {
    return AddressFault{400, "rate and burst are for buckets beside the rules: say named=1 too"};
  }
  return std::nullopt;
}

std::optional<AddressFault> read_limit(const NamedQuery& query, Limit& limit) {
  const auto rate = number_in(query.rate);
  const auto made_rate = Rate::per_second(rate.value_or(0));
  if (!rate || !made_rate) {
    return AddressFault{400, "rate must be tokens per second, from 1e-9 to 1e9, but is '" + query.rate + "'"};
  }
  const auto burst = number_in(query.burst);
  const auto capacity = capacity_of(burst.value_or(0));
  if (!burst || !capacity) {
    return AddressFault{400, "burst must be a number from 1e-6 to 1e9, but is '" + query.burst + "'"};
  }
  const auto made = Limit::token_bucket(*made_rate, *capacity);
  if (!made) return AddressFault{400, "rate and burst are no limit together"};
  limit = *made;
  return std::nullopt;
}

// Policy and rule stand in the key escaped, so that the `|` behind them is the first that is no part of them.
bool is_key_of(std::string_view key, const rules::Policy& policy, const rules::Rule& rule) {
  const std::string prefix = rules::key_prefix(policy.id, rule.name);
  if (!key.starts_with(prefix)) return false;
  const std::string_view values = key.substr(prefix.size());
  if (!values.empty() && values.front() != '|') return false;
  return static_cast<size_t>(std::count(values.begin(), values.end(), '|')) == rule.limit_keys.size();
}

}  // namespace

std::vector<Take> BucketAddress::takes() const {
  if (rule == nullptr) return {limiter::NamedBucket{key, &own_limit}.take()};
  std::vector<Take> takes;
  for (const Limit& limit : rule->limits) {
    takes.push_back({key, &limit, kOneToken, static_cast<uint32_t>(takes.size())});
  }
  return takes;
}

std::variant<BucketAddress, AddressFault> read_address(std::string_view text, std::string_view query,
                                                       const rules::RuleSet& rules, NamedNeeds needs) {
  BucketAddress address;
  address.key = decode_path(text);
  NamedQuery named;
  if (auto fault = read_query(query, named)) return *std::move(fault);
  // Beside the rules callers may name a bucket by nothing at all; the key of a rule has its name at least.
  if (address.key.empty() && named.named.empty()) {
    return AddressFault{400, "a key must stand behind /admin/v1/buckets/; the empty one of callers needs named=1"};
  }
  if (!named.named.empty()) {
    if (needs == NamedNeeds::kKey && named.rate.empty() && named.burst.empty()) return address;
    if (auto fault = read_limit(named, address.own_limit)) return *std::move(fault);
    return address;
  }
  for (const rules::Policy& policy : rules.policies) {
    for (const rules::Rule& rule : policy.rules) {
      if (!is_key_of(address.key, policy, rule)) continue;
      address.policy = &policy;
      address.rule = &rule;
      return address;
    }
  }
  return AddressFault{404,
                      "no rule in force has keys like this: they are policy|rule|values, as /admin/v1/explain "
                      "shows them; a bucket beside the rules needs named=1"};
}

}  // namespace sluice::doors::admin
