// The fields of a decision, in their order, for whatever writes them: JSON and the Redis protocol say the same.
//
// A Writer has begin_object(members), end_object(), begin_array(items), end_array(), name(), string(), integer(),
// tokens(), boolean() and null().
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "doors/decision_json.h"
#include "limiter/answer.h"

namespace sluice::doors {
namespace decision_fields {

template <class Writer>
void text_or_null(Writer& writer, std::string_view name, std::string_view text) {
  writer.name(name);
  if (text.empty()) {
    writer.null();
  } else {
    writer.string(text);
  }
}

template <class Writer>
void wait_or_null(Writer& writer, std::string_view name, Duration wait) {
  writer.name(name);
  if (wait >= kForever) {
    writer.null();
  } else {
    writer.integer(wait.ceil_millis());
  }
}

// Whose limit and remaining the caller sees, if nothing else names a rule.
template <class Writer>
void write_names(Writer& writer, const limiter::Answer& answer) {
  const bool has_own = !answer.allowed || answer.tightest == nullptr;
  text_or_null(writer, "policy", has_own ? answer.policy : answer.tightest->policy);
  text_or_null(writer, "rule", has_own ? answer.rule : answer.tightest->rule);
}

template <class Writer>
void write_tightest(Writer& writer, const limiter::Answer& answer) {
  const limiter::BucketAnswer* tightest = answer.tightest;
  writer.name("limit");
  tightest != nullptr ? writer.tokens(tightest->limit->capacity()) : writer.null();
  writer.name("remaining");
  tightest != nullptr ? writer.tokens(tightest->remaining) : writer.null();
  wait_or_null(writer, "retry_after_ms", answer.allowed ? Duration() : answer.retry_after);
  wait_or_null(writer, "reset_after_ms", tightest != nullptr ? tightest->reset_after : kForever);
}

template <class Writer>
void write_bucket(Writer& writer, const limiter::BucketAnswer& bucket, DecisionDetails details) {
  writer.begin_object(details.keys ? 9 : 8);
  text_or_null(writer, "policy", bucket.policy);
  text_or_null(writer, "rule", bucket.rule);
  if (details.keys) {
    writer.name("key");
    writer.string(bucket.key);
  }
  writer.name("limit");
  writer.tokens(bucket.limit->capacity());
  writer.name("remaining");
  writer.tokens(bucket.remaining);
  writer.name("cost");
  writer.tokens(bucket.cost);
  writer.name("allowed");
  writer.boolean(bucket.allowed);
  wait_or_null(writer, "retry_after_ms", bucket.retry_after);
  wait_or_null(writer, "reset_after_ms", bucket.reset_after);
  writer.end_object();
}

template <class Writer>
void write_buckets(Writer& writer, std::span<const limiter::BucketAnswer> buckets, DecisionDetails details) {
  writer.begin_array(buckets.size());
  for (const limiter::BucketAnswer& bucket : buckets) write_bucket(writer, bucket, details);
  writer.end_array();
}

// How many members write_members() writes.
inline size_t member_count(const limiter::Answer& answer) {
  return 9 + (answer.shadow.empty() ? 0 : 1) + (answer.degraded ? 1 : 0) + (answer.delay > Duration() ? 1 : 0);
}

template <class Writer>
void write_members(Writer& writer, const limiter::Answer& answer, DecisionDetails details) {
  writer.name("allowed");
  writer.boolean(answer.allowed);
  text_or_null(writer, "reason", limiter::reason_text(answer));
  write_names(writer, answer);
  write_tightest(writer, answer);
  writer.name("buckets");
  write_buckets(writer, answer.buckets, details);
  if (!answer.shadow.empty()) {
    writer.name("shadow");
    write_buckets(writer, answer.shadow, details);
  }
  if (answer.degraded) {
    writer.name("degraded");
    writer.boolean(true);
  }
  if (answer.delay > Duration()) {
    writer.name("delay_ms");
    writer.integer(answer.delay.ceil_millis());
  }
}

}  // namespace decision_fields

template <class Writer>
void write_decision_fields(Writer& writer, const limiter::Answer& answer, DecisionDetails details) {
  writer.begin_object(decision_fields::member_count(answer));
  decision_fields::write_members(writer, answer, details);
  writer.end_object();
}

}  // namespace sluice::doors
