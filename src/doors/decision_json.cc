#include "doors/decision_json.h"

#include <span>

namespace sluice::doors {
namespace {

using limiter::Answer;
using limiter::BucketAnswer;

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.name(name);
  if (text.empty()) {
    json.null();
  } else {
    json.string(text);
  }
}

void wait_or_null(JsonWriter& json, std::string_view name, Duration wait) {
  json.name(name);
  if (wait >= kForever) {
    json.null();
  } else {
    json.integer(wait.ceil_millis());
  }
}

// Whose limit and remaining the caller sees, if nothing else names a rule.
void write_names(JsonWriter& json, const Answer& answer) {
  const bool has_own = !answer.allowed || answer.tightest == nullptr;
  text_or_null(json, "policy", has_own ? answer.policy : answer.tightest->policy);
  text_or_null(json, "rule", has_own ? answer.rule : answer.tightest->rule);
}

void write_tightest(JsonWriter& json, const Answer& answer) {
  const BucketAnswer* tightest = answer.tightest;
  json.name("limit");
  tightest != nullptr ? json.tokens(tightest->limit->capacity()) : json.null();
  json.name("remaining");
  tightest != nullptr ? json.tokens(tightest->remaining) : json.null();
  wait_or_null(json, "retry_after_ms", answer.allowed ? Duration() : answer.retry_after);
  wait_or_null(json, "reset_after_ms", tightest != nullptr ? tightest->reset_after : kForever);
}

void write_bucket(JsonWriter& json, const BucketAnswer& bucket, DecisionDetails details) {
  json.begin_object();
  text_or_null(json, "policy", bucket.policy);
  text_or_null(json, "rule", bucket.rule);
  if (details.keys) {
    json.name("key");
    json.string(bucket.key);
  }
  json.name("limit");
  json.tokens(bucket.limit->capacity());
  json.name("remaining");
  json.tokens(bucket.remaining);
  json.name("cost");
  json.tokens(bucket.cost);
  json.name("allowed");
  json.boolean(bucket.allowed);
  wait_or_null(json, "retry_after_ms", bucket.retry_after);
  wait_or_null(json, "reset_after_ms", bucket.reset_after);
  json.end_object();
}

void write_buckets(JsonWriter& json, std::span<const BucketAnswer> buckets, DecisionDetails details) {
  json.begin_array();
  for (const BucketAnswer& bucket : buckets) write_bucket(json, bucket, details);
  json.end_array();
}

}  // namespace

void write_decision(JsonWriter& json, const Answer& answer, DecisionDetails details) {
  json.begin_object();
  write_decision_members(json, answer, details);
  json.end_object();
}

void write_decision_members(JsonWriter& json, const Answer& answer, DecisionDetails details) {
  json.name("allowed");
  json.boolean(answer.allowed);
  text_or_null(json, "reason", limiter::reason_text(answer));
  write_names(json, answer);
  write_tightest(json, answer);
  json.name("buckets");
  write_buckets(json, answer.buckets, details);
  if (!answer.shadow.empty()) {
    json.name("shadow");
    write_buckets(json, answer.shadow, details);
  }
  if (answer.degraded) {
    json.name("degraded");
    json.boolean(true);
  }
  if (answer.delay > Duration()) {
    json.name("delay_ms");
    json.integer(answer.delay.ceil_millis());
  }
}

}  // namespace sluice::doors
