#include "doors/problem.h"

#include <algorithm>
#include <span>

#include "doors/decimal_text.h"
#include "doors/decision_json.h"
#include "doors/policy_list.h"

namespace sluice::doors {
namespace {

using limiter::Answer;
using limiter::BucketAnswer;
using limiter::Reason;

void write_exceeded(JsonWriter& json, const Answer& answer) {
  if (answer.tightest == nullptr) return json.string("A limit has too few tokens left for this request.");
  const BucketAnswer& bucket = *answer.tightest;
  const DecimalText remaining(bucket.remaining);
  const DecimalText capacity(bucket.limit->capacity());
  const DecimalText cost(bucket.cost);
  if (answer.retry_after >= kForever) {
    return json.string({"Of ", capacity.view(), " tokens ", remaining.view(), " are left, and this request takes ",
                        cost.view(), ". When it will pass is not known."});
  }
  const DecimalText wait_ms(answer.retry_after.ceil_millis());
  json.string({"Of ", capacity.view(), " tokens ", remaining.view(), " are left, and this request takes ", cost.view(),
               ". It passes in ", wait_ms.view(), " ms, if no other comes first."});
}

void write_impossible(JsonWriter& json, const Answer& answer) {
  if (answer.tightest == nullptr) return json.string("This request takes more tokens than there ever are.");
  const DecimalText capacity(answer.tightest->limit->capacity());
  const DecimalText cost(answer.tightest->cost);
  json.string({"This request takes ", cost.view(), " tokens, and there are never more than ", capacity.view(),
               ": waiting does not help."});
}

void write_detail(JsonWriter& json, const Answer& answer) {
  if (!answer.detail.empty()) return json.string(answer.detail);
  switch (answer.reason) {
    case Reason::kExceeded: return write_exceeded(json, answer);
    case Reason::kCostExceedsCapacity: return write_impossible(json, answer);
    case Reason::kKillSwitch: return json.string("Such requests are refused until further notice.");
    case Reason::kMissingKey: return json.string("This request does not say whose it is, and its rule wants to know.");
    case Reason::kTooManyBuckets: return json.string("More limits apply to this request than one request may have.");
    case Reason::kStoreUnavailable: return json.string("Limits cannot be checked now, and without that none passes.");
    case Reason::kNone: break;
  }
  json.string("");
}

// Each name once, in the order of RateLimit-Policy.
void write_violated(JsonWriter& json, const Answer& answer) {
  const PolicyList list(answer);
  json.begin_array();
  for (const QuotaPolicy& policy : list.policies()) {
    const bool is_violated = std::any_of(answer.buckets.begin(), answer.buckets.end(), [&](const BucketAnswer& bucket) {
      return !bucket.allowed && list.find(bucket) == &policy;
    });
    if (is_violated) json.string(policy.name());
  }
  json.end_array();
}

bool is_of_quota(Reason reason) { return reason == Reason::kExceeded || reason == Reason::kCostExceedsCapacity; }

void member(JsonWriter& json, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  json.name(name);
  json.string(text);
}

// What RFC 9457 and the drafts of RateLimit name.
void write_problem_members(JsonWriter& json, const Answer& answer, const StatusRow& row) {
  member(json, "type", row.problem_type);
  member(json, "title", row.problem_title);
  json.name("status");
  json.integer(row.status);
  json.name("detail");
  write_detail(json, answer);
  if (is_of_quota(answer.reason)) {
    json.name("violated-policies");
    write_violated(json, answer);
  }
}

}  // namespace

void write_problem(JsonWriter& json, const Answer& answer) { write_problem(json, answer, status_row(answer.reason)); }

void write_problem(JsonWriter& json, const Answer& answer, const StatusRow& row) {
  json.begin_object();
  write_problem_members(json, answer, row);
  member(json, "reason", limiter::reason_text(answer));
  member(json, "policy", answer.policy);
  member(json, "rule", answer.rule);
  if (answer.retry_after < kForever) {
    json.name("retry_after_ms");
    json.integer(answer.retry_after.ceil_millis());
  }
  json.end_object();
}

void write_problem_with_decision(JsonWriter& json, const Answer& answer) {
  json.begin_object();
  write_problem_members(json, answer, status_row(answer.reason));
  write_decision_members(json, answer);
  json.end_object();
}

}  // namespace sluice::doors
