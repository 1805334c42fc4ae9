#include "scenario/parse_expectation.h"

namespace sluice::scenario {
namespace {

// Counts beyond 2^53 are exact nowhere but in C++.
constexpr int64_t kMost = (int64_t{1} << 53) - 1;

struct WaitField {
  const char* name;
  Wait which;
  Duration unit;
};

constexpr WaitField kWaitFields[] = {
    {"retry_after_ms", Wait::kRetryAfter, Duration::millis(1)},
    {"retry_after_us", Wait::kRetryAfter, Duration::micros(1)},
    {"reset_after_ms", Wait::kResetAfter, Duration::millis(1)},
    {"reset_after_us", Wait::kResetAfter, Duration::micros(1)},
    {"delay_ms", Wait::kDelay, Duration::millis(1)},
    {"delay_us", Wait::kDelay, Duration::micros(1)},
};

void parse_tokens(Fields& fields, Expectation& expect) {
  const std::pair<const char*, Tokens> token_fields[] = {{"remaining", kOneToken},
                                                         {"remaining_micros", Tokens::micros(1)}};
  for (const auto& [name, unit] : token_fields) {
    if (!fields.has(name)) continue;
    const int64_t count = fields.integer(name, 0, kMost / unit.micros());
    expect.tokens.push_back({name, Tokens::micros(count * unit.micros()), unit});
  }
}

// A retry_after of null means that no wait would help.
Duration parse_wait(Fields& fields, const WaitField& field) {
  if (field.which == Wait::kRetryAfter && fields.required(field.name).is_null()) return kForever;
  return Duration(fields.integer(field.name, 0, kForever.ns / field.unit.ns) * field.unit.ns);
}

void parse_waits(Fields& fields, bool only_reset, Expectation& expect) {
  for (const WaitField& field : kWaitFields) {
    if ((only_reset && field.which != Wait::kResetAfter) || !fields.has(field.name)) continue;
    expect.waits.push_back({field.name, field.which, parse_wait(fields, field), field.unit});
  }
}

Verdict parse_reason(Fields& fields) {
  const std::string reason = fields.text("reason");
  if (reason == "limited") return Verdict::kLimited;
  if (reason == "cost_exceeds_capacity") return Verdict::kCostExceedsCapacity;
  throw ScenarioError(fields.where("reason"), "must be \"limited\" or \"cost_exceeds_capacity\"");
}

uint32_t parse_bucket(Fields& fields, const Step& step) {
  const std::string name = fields.text("bucket");
  for (uint32_t i = 0; i < step.takes.size(); ++i) {
    if (step.takes[i].limit_name == name) return i;
  }
  throw ScenarioError(fields.where("bucket"), "'" + name + "' is no limit of this request");
}

void parse_allowed(Fields& fields, const Step& step, bool is_repeated, Expectation& expect) {
  if (!is_repeated) {
    if (!fields.required("allowed").is_boolean()) {
      throw ScenarioError(fields.where("allowed"), "must be true or false; only a step with \"repeat\" counts");
    }
    expect.allowed = fields.required("allowed").get<bool>();
    return;
  }
  const int64_t allowed = fields.integer("allowed", 0, step.repeat);
  const int64_t rejected = fields.integer("rejected", 0, step.repeat);
  if (allowed + rejected != step.repeat) {
    throw ScenarioError(fields.where(), "allowed and rejected must add up to repeat, " + std::to_string(step.repeat));
  }
  expect.counts = ExpectedCounts{allowed, rejected};
}

void refuse_contradictions(const Fields& fields, const Expectation& expect) {
  const bool rejects = expect.counts ? expect.counts->rejected > 0 : !*expect.allowed;
  if (expect.reason && !rejects) throw ScenarioError(fields.where("reason"), "only a rejection has one");
  const bool never = expect.reason == Verdict::kCostExceedsCapacity;
  for (const ExpectedWait& wait : expect.waits) {
    if (wait.which != Wait::kRetryAfter) continue;
    if ((wait.value == kForever) != never) {
      throw ScenarioError(fields.where(wait.field), "is null with the reason cost_exceeds_capacity, and only then");
    }
  }
}

}  // namespace

Expectation parse_expectation(Fields& step_fields, const Step& step) {
  Expectation expect;
  const bool is_refund = step.operation == Operation::kRefund;
  if (is_refund && !step_fields.has("expect")) return expect;
  Fields fields(step_fields.required("expect"), step_fields.where("expect"));
  parse_tokens(fields, expect);
  parse_waits(fields, is_refund, expect);
  if (is_refund) {
    fields.refuse_the_rest();
    if (expect.tokens.empty() && expect.waits.empty()) throw ScenarioError(fields.where(), "expects nothing");
    return expect;
  }
  parse_allowed(fields, step, step_fields.has("repeat"), expect);
  if (fields.has("reason")) expect.reason = parse_reason(fields);
  if (fields.has("bucket")) expect.bucket = parse_bucket(fields, step);
  fields.refuse_the_rest();
  refuse_contradictions(fields, expect);
  return expect;
}

}  // namespace sluice::scenario
