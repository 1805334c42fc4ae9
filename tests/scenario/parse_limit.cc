#include "scenario/parse_limit.h"

#include <optional>

namespace sluice::scenario {
namespace {

using nlohmann::json;

constexpr Algorithm kAlgorithms[] = {
    Algorithm::kTokenBucket, Algorithm::kLeakyBucket,      Algorithm::kLeakyQueue,
    Algorithm::kFixedWindow, Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter,
};

Algorithm parse_algorithm(Fields& fields) {
  const std::string name = fields.text("algorithm");
  std::string known;
  for (const Algorithm algorithm : kAlgorithms) {
    if (name == name_of(algorithm)) return algorithm;
    known += std::string(known.empty() ? "" : ", ") + name_of(algorithm);
  }
  throw ScenarioError(fields.where("algorithm"), "'" + name + "' is none of " + known);
}

// A number of tokens per second, or {"tokens": 5, "per": "24h"}.
Rate parse_rate(Fields& fields) {
  const std::string where = fields.where("rate");
  if (!fields.required("rate").is_object()) return value_or_throw(Rate::per_second(fields.number("rate")), where);
  Fields rate(fields.required("rate"), where);
  const int64_t tokens = rate.integer("tokens", 1, INT64_MAX);
  const Duration period = rate.duration("per");
  rate.refuse_the_rest();
  return value_or_throw(Rate::per(tokens, period), where);
}

Tokens parse_capacity(Fields& fields, const std::string& name) {
  return value_or_throw(capacity_of(fields.number(name)), fields.where(name));
}

using MakeBucket = Result<Limit> (*)(Rate, Tokens);
using MakeWindow = Result<Limit> (*)(Tokens, Duration);

Limit parse_bucket(Fields& fields, MakeBucket make) {
  const Rate rate = parse_rate(fields);
  const Tokens capacity = parse_capacity(fields, "burst");
  return value_or_throw(make(rate, capacity), fields.where());
}

Limit parse_window(Fields& fields, MakeWindow make) {
  const Tokens capacity = parse_capacity(fields, "limit");
  const Duration window = fields.duration("window");
  return value_or_throw(make(capacity, window), fields.where());
}

Limit parse_for(Algorithm algorithm, Fields& fields) {
  switch (algorithm) {
    case Algorithm::kTokenBucket: return parse_bucket(fields, Limit::token_bucket);
    case Algorithm::kLeakyBucket: return parse_bucket(fields, Limit::leaky_bucket);
    case Algorithm::kLeakyQueue: return parse_bucket(fields, Limit::leaky_queue);
    case Algorithm::kFixedWindow: return parse_window(fields, Limit::fixed_window);
    case Algorithm::kSlidingWindowLog: return parse_window(fields, Limit::sliding_window_log);
    case Algorithm::kSlidingWindowCounter: return parse_window(fields, Limit::sliding_window_counter);
  }
  return {};
}

}  // namespace

std::string reason_of(const Error& error) {
  const std::string field = error.field;
  switch (error.code) {
    case ErrorCode::kNotFinite: return field + " must be a finite number";
    case ErrorCode::kNotPositive: return field + " must be greater than 0";
    case ErrorCode::kTooSmall: return field + " is smaller than the engine resolves";
    case ErrorCode::kTooLarge: return field + " is beyond the range in which the engine is exact";
    default: return field + " is refused by the engine";
  }
}

Limit parse_limit(const json& definition, const std::string& where) {
  Fields fields(definition, where);
  const Limit limit = parse_for(parse_algorithm(fields), fields);
  fields.refuse_the_rest();
  return limit;
}

}  // namespace sluice::scenario
