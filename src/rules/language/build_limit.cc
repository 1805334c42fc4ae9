#include "rules/language/build_limit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Member;
using documents::Node;
__extension__ using Wide = __int128;

constexpr std::string_view kLimitFields[] = {"tokens_per_second", "burst", "burst_seconds", "limit", "window_seconds"};
constexpr Algorithm kAlgorithms[] = {Algorithm::kTokenBucket,      Algorithm::kLeakyBucket,
                                     Algorithm::kLeakyQueue,       Algorithm::kFixedWindow,
                                     Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter};
constexpr const char* kBurstHint = "burst is how many requests may come at once; 5 x rps suits an interactive API";

// Nothing where the word is wrong: then it is not known which fields would be right.
std::optional<Algorithm> algorithm_of(const Fields& fields, std::optional<Algorithm> fallback) {
  if (!fields.has("algorithm")) return fallback;
  for (const Algorithm algorithm : kAlgorithms) {
    if (fields.text("algorithm") == name_of(algorithm)) return algorithm;
  }
  return std::nullopt;
}

// REQUIRES: at most 100 years, as the table says.
Duration duration_of(double seconds) { return Duration(std::llround(seconds * 1e9)); }

Result<Limit> make_bucket(Algorithm algorithm, Rate rate, Tokens capacity) {
  if (algorithm == Algorithm::kLeakyBucket) return Limit::leaky_bucket(rate, capacity);
  if (algorithm == Algorithm::kLeakyQueue) return Limit::leaky_queue(rate, capacity);
  return Limit::token_bucket(rate, capacity);
}

Result<Limit> make_window(Algorithm algorithm, Tokens capacity, Duration window) {
  if (algorithm == Algorithm::kSlidingWindowLog) return Limit::sliding_window_log(capacity, window);
  if (algorithm == Algorithm::kSlidingWindowCounter) return Limit::sliding_window_counter(capacity, window);
  return Limit::fixed_window(capacity, window);
}

// Exact, where doubles would make 28.999999999999996 of 0.29 x 100 seconds. Zero when it is out of range.
Tokens tokens_in(Rate rate, Duration time) {
  constexpr Wide kNanosPerMicro = 1'000;
  constexpr Wide kLargest = Wide{1'000'000'000} * Tokens::kMicrosPerToken;
  const Wide micros = Wide{rate.numerator()} * time.ns / (kNanosPerMicro * rate.denominator());
  return Tokens::micros(micros > kLargest ? 0 : static_cast<int64_t>(micros));
}

// One limit from one object, and what is wrong with its fields taken together.
class LimitBuilder {
 public:
  LimitBuilder(Algorithm algorithm, const Fields& fields, const Path& path, Faults& faults)
      : algorithm_(algorithm), fields_(fields), path_(path), faults_(faults) {}

  std::optional<Limit> build() { return is_bucket(algorithm_) ? build_bucket() : build_window(); }

 private:
  std::optional<Limit> build_bucket() {
    refuse_foreign("limit", "a window", "write rps and burst, or choose a window such as sliding_window_counter");
    refuse_foreign("window_seconds", "a window",
                   "write rps and burst, or choose a window such as sliding_window_counter");
    if (!fields_.has("tokens_per_second")) {
      missing("tokens_per_second is missing", "write rps, or tokens_per_second: how many tokens come back per second");
    }
    const bool has_burst = fields_.has("burst");
    if (has_burst && fields_.has("burst_seconds")) {
      faults_.add(fields_.position("burst_seconds"), Path(path_, "burst_seconds"),
                  {"burst_seconds says the capacity, but burst does so too", "leave one of them out"});
      return std::nullopt;
    }
    if (!has_burst && !fields_.has("burst_seconds")) missing("burst is missing", kBurstHint);
    const auto rate = fields_.number("tokens_per_second");
    if (!rate) return std::nullopt;
    if (has_burst) {
      const auto burst = fields_.number("burst");
      return burst ? bucket_limit(algorithm_, *rate, *burst) : std::nullopt;
    }
    return bucket_by_seconds(*rate);
  }

  std::optional<Limit> bucket_by_seconds(double tokens_per_second) {
    const auto seconds = fields_.number("burst_seconds");
    const auto rate = Rate::per_second(tokens_per_second);
    if (!seconds || !rate) return std::nullopt;
    const Tokens capacity = tokens_in(*rate, duration_of(*seconds));
    auto limit = make_bucket(algorithm_, *rate, capacity);
    if (limit) return *limit;
    faults_.add(fields_.position("burst_seconds"), Path(path_, "burst_seconds"),
                {"burst_seconds x tokens_per_second must be between 0.000001 and 1e9 tokens, but is about " +
                     std::to_string(*seconds * tokens_per_second),
                 "a full bucket holds what comes back in so many seconds"});
    return std::nullopt;
  }

  std::optional<Limit> build_window() {
    for (const char* name : {"tokens_per_second", "burst", "burst_seconds"}) {
      refuse_foreign(name, "a bucket", "write limit and window_seconds, or choose the algorithm token_bucket");
    }
    if (!fields_.has("limit")) missing("limit is missing", "limit: how many tokens may be taken in one window");
    if (!fields_.has("window_seconds")) missing("window_seconds is missing", "window_seconds: how long a window is");
    const auto tokens = fields_.number("limit");
    const auto seconds = fields_.number("window_seconds");
    if (!tokens || !seconds) return std::nullopt;
    const auto capacity = capacity_of(*tokens);
    if (!capacity) return std::nullopt;
    auto limit = make_window(algorithm_, *capacity, duration_of(*seconds));
    if (limit) return *limit;
    faults_.add(fields_.position("limit"), Path(path_, "limit"),
                {"limit / window_seconds must be between 1e-9 and 1e9 tokens per second, but is about " +
                     std::to_string(*tokens / *seconds),
                 ""});
    return std::nullopt;
  }

  void refuse_foreign(std::string_view name, const char* whose, const char* hint) {
    const Member* member = fields_.member(name);
    if (member == nullptr) return;
    faults_.add(member->position, Path(path_, member->name),
                {member->name + " belongs to " + whose + ", but the algorithm is " + name_of(algorithm_), hint});
  }

  void missing(const char* message, const char* hint) { faults_.add(fields_.node().position, path_, {message, hint}); }

  const Algorithm algorithm_;
  const Fields& fields_;
  const Path& path_;
  Faults& faults_;
};

std::vector<Limit> build_list(const Node& list, std::optional<Algorithm> algorithm, const Path& path, Faults& faults) {
  std::vector<Limit> limits;
  if (list.items.size() > kMostLimits) {
    faults.add(list.items[kMostLimits].position, path,
               {"limits must have at most " + std::to_string(kMostLimits) + " entries, but has " +
                    std::to_string(list.items.size()),
                ""});
    return limits;
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (list.items[i].kind != documents::Kind::kObject) continue;
    const Fields fields(list.items[i], kLimitSpec);
    const Path item(path, i);
    const auto own = algorithm_of(fields, algorithm);
    if (!own) continue;
    if (auto limit = LimitBuilder(*own, fields, item, faults).build()) limits.push_back(*limit);
  }
  return limits;
}

// With limits, algorithm_config says only what a request costs.
void refuse_limit_beside_limits(const Fields& config, const Path& path, Faults& faults) {
  for (const std::string_view name : kLimitFields) {
    const Member* member = config.member(name);
    if (member == nullptr) continue;
    faults.add(member->position, Path(path, member->name),
               {member->name + " belongs into limits, since this rule has limits",
                "beside limits, algorithm_config holds only what a request costs"});
  }
}

std::optional<KeySource> cost_source(const Fields& config, const Path& path, Faults& faults) {
  const std::string_view text = config.text("cost_source", "fixed");
  if (text == "fixed") return std::nullopt;
  const auto source = KeySource::parse(text);
  if (source && (source->kind == KeyKind::kHeader || source->kind == KeyKind::kQuery)) return source;
  faults.add(config.position("cost_source"), Path(path, "cost_source"),
             {"cost_source must be fixed, header:<name> or query:<name>, but is " + quote(text), ""});
  return std::nullopt;
}

Tokens cost_or(std::optional<double> tokens, Tokens fallback) {
  if (!tokens) return fallback;
  const auto cost = cost_of(*tokens);
  return cost ? *cost : fallback;
}

}  // namespace

std::optional<Limit> bucket_limit(Algorithm algorithm, double tokens_per_second, double burst) {
  const auto rate = Rate::per_second(tokens_per_second);
  const auto capacity = capacity_of(burst);
  if (!rate || !capacity) return std::nullopt;
  auto limit = make_bucket(algorithm, *rate, *capacity);
  return limit ? std::optional(*limit) : std::nullopt;
}

std::vector<Limit> build_limits(const Fields& rule, const Path& path, Faults& faults) {
  const auto algorithm = algorithm_of(rule, Algorithm::kTokenBucket);
  const Node* config = rule.value("algorithm_config");
  if (rule.has("limits")) {
    const Path config_path(path, "algorithm_config");
    if (config != nullptr) refuse_limit_beside_limits(Fields(*config, kAlgorithmConfigSpec), config_path, faults);
    const Node* list = rule.value("limits");
    return list == nullptr ? std::vector<Limit>() : build_list(*list, algorithm, Path(path, "limits"), faults);
  }
  if (!rule.has("algorithm_config")) {
    faults.add(
        rule.node().position, path,
        {"algorithm_config is missing", "algorithm_config: {\"rps\": 10, \"burst\": 50}, or limits for several"});
  }
  if (config == nullptr || !algorithm) return {};
  const Fields fields(*config, kAlgorithmConfigSpec);
  const Path config_path(path, "algorithm_config");
  auto limit = LimitBuilder(*algorithm, fields, config_path, faults).build();
  return limit ? std::vector<Limit>{*limit} : std::vector<Limit>();
}

Cost build_cost(const Fields& rule, const Path& path, Faults& faults) {
  Cost cost;
  const Node* config = rule.value("algorithm_config");
  if (config == nullptr) return cost;
  const Fields fields(*config, kAlgorithmConfigSpec);
  const Path config_path(path, "algorithm_config");
  cost.source = cost_source(fields, config_path, faults);
  cost.fixed = cost_or(fields.number("fixed_cost"), kOneToken);
  cost.fallback = cost_or(fields.number("default_cost"), kOneToken);
  const Node* written = fields.value("default_cost");
  const Node* most = fields.value("max_cost");
  if (most == nullptr) return cost;
  cost.most = cost_or(most->number, kOneToken);
  if (written != nullptr && cost.fallback > *cost.most) {
    faults.add(written->position, Path(config_path, "default_cost"),
               {"default_cost must be at most max_cost, which is " + found(*most) + ", but is " + found(*written), ""});
  }
  cost.fallback = std::min(cost.fallback, *cost.most);
  return cost;
}

}  // namespace sluice::rules::language
