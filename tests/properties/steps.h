// Random runs: what a caller does next, and how far the clock goes before it does. A step is a plan; its cost and time
// become numbers only when it is played, so that they can aim at the edges: the exact wait, the last millionth.
#pragma once

#include <algorithm>
#include <ostream>
#include <vector>

#include "properties/bucket_under_test.h"
#include "properties/limits.h"

namespace sluice::properties {

enum class Action { kTake, kPoll, kPeek, kRefund };

enum class CostPlan {
  kMillionth,
  kOne,
  kFewWhole,
  kShareOfCapacity,
  kCapacity,
  kJustBelowCapacity,
  kAboveCapacity,
  kRemaining,
  kJustAboveRemaining,
  kShareOfRemaining,
};

enum class TimePlan {
  kNone,
  kNanosecond,
  kMicroseconds,
  kMilliseconds,
  kSeconds,
  kYears,
  kJustBeforeWait,
  kAtWait,
  kShareOfFill,
  kToFull,
  kBackABit,
  kBackALot,
};

struct Step {
  Action action = Action::kTake;
  CostPlan cost = CostPlan::kOne;
  TimePlan time = TimePlan::kNone;
  double share = 0;  // where the plan leaves room
};

inline void showValue(const Step& step, std::ostream& out) {
  out << "{action " << static_cast<int>(step.action) << ", cost " << static_cast<int>(step.cost) << ", time "
      << static_cast<int>(step.time) << ", share " << step.share << "}";
}

inline bool goes_back(const Step& step) { return step.time == TimePlan::kBackABit || step.time == TimePlan::kBackALot; }

inline rc::Gen<Step> any_step(TimePlan last_time_plan) {
  return rc::gen::build<Step>(
      rc::gen::set(&Step::action,
                   rc::gen::weightedElement<Action>(
                       {{8, Action::kTake}, {3, Action::kPoll}, {1, Action::kPeek}, {1, Action::kRefund}})),
      rc::gen::set(&Step::cost, rc::gen::cast<CostPlan>(between(0, static_cast<int>(CostPlan::kShareOfRemaining)))),
      rc::gen::set(&Step::time, rc::gen::cast<TimePlan>(between(0, static_cast<int>(last_time_plan)))),
      rc::gen::set(&Step::share, share()));
}

using Steps = std::vector<Step>;

inline rc::Gen<Steps> any_steps(TimePlan last = TimePlan::kBackALot) {
  return rc::gen::resize(80, rc::gen::container<Steps>(any_step(last)));
}
inline rc::Gen<Steps> any_forward_steps() { return any_steps(TimePlan::kToFull); }

// The cost of a step, for a bucket that holds `remaining`.
inline Tokens cost_of_step(const Step& step, const Limit& limit, Tokens remaining) {
  const int64_t capacity = limit.capacity().micros();
  const auto part = [&](int64_t whole) { return static_cast<int64_t>(static_cast<double>(whole) * step.share); };
  int64_t micros = 1;
  switch (step.cost) {
    case CostPlan::kMillionth: break;
    case CostPlan::kOne: micros = Tokens::kMicrosPerToken; break;
    case CostPlan::kFewWhole: micros = (1 + part(10)) * Tokens::kMicrosPerToken; break;
    case CostPlan::kShareOfCapacity: micros = part(capacity); break;
    case CostPlan::kCapacity: micros = capacity; break;
    case CostPlan::kJustBelowCapacity: micros = capacity - 1; break;
    case CostPlan::kAboveCapacity: micros = capacity + 1 + part(capacity); break;
    case CostPlan::kRemaining: micros = remaining.micros(); break;
    case CostPlan::kJustAboveRemaining: micros = remaining.micros() + 1; break;
    case CostPlan::kShareOfRemaining: micros = part(remaining.micros()); break;
  }
  if (step.action == Action::kPoll) micros = std::max(micros, remaining.micros() + 1);
  return Tokens::micros(std::max<int64_t>(1, micros));
}

// Where the clock stands when a step is played. `wait` is the last retry_after that anyone was told.
class Clock {
 public:
  static constexpr int64_t kSpan = 4'600'000'000'000'000'000;

  explicit Clock(Instant start) : now_(start) {}
  Instant now() const { return now_; }

  void go(const Step& step, const BucketUnderTest& bucket, Duration wait) {
    const auto part = [&](double whole) { return static_cast<int64_t>(whole * step.share); };
    switch (step.time) {
      case TimePlan::kNone: break;
      case TimePlan::kNanosecond: move(1); break;
      case TimePlan::kMicroseconds: move(part(1e6)); break;
      case TimePlan::kMilliseconds: move(part(1e9)); break;
      case TimePlan::kSeconds: move(part(1e13)); break;
      case TimePlan::kYears: move(part(9e16)); break;
      case TimePlan::kJustBeforeWait: move(std::max<int64_t>(0, wait.ns - 1)); break;
      case TimePlan::kAtWait: move(wait.ns); break;
      case TimePlan::kShareOfFill: move(part(static_cast<double>(bucket.limit().window().ns))); break;
      case TimePlan::kToFull: move(bucket.time_to_full(now_).ns); break;
      case TimePlan::kBackABit: move(-part(std::min(1e10, static_cast<double>(bucket.limit().window().ns)))); break;
      case TimePlan::kBackALot: move(-part(9e16)); break;
    }
  }

 private:
  // Stays where Unix clocks live, from 1938 to 2084: a step beyond is not taken.
  void move(int64_t ns) {
    constexpr int64_t kEarliest = -1'000'000'000'000'000'000;
    if (ns > 0 ? now_.ns < kEarliest + kSpan - ns : now_.ns > kEarliest - ns) now_.ns += ns;
  }

  Instant now_;
};

// One admitted request, for the laws that look back at a whole run.
struct Passed {
  Instant at;
  int64_t micros = 0;
};

// Plays takes and polls, and tells what was admitted when: never before an earlier admission, though the clock may.
inline std::vector<Passed> admissions(BucketUnderTest& bucket, Clock& clock, const Steps& steps) {
  std::vector<Passed> passed;
  Duration wait;
  for (const Step& step : steps) {
    clock.go(step, bucket, wait);
    const Instant latest = passed.empty() ? clock.now() : std::max(clock.now(), passed.back().at);
    const Tokens cost = cost_of_step(step, bucket.limit(), bucket.remaining(clock.now()));
    const Decision decision = bucket.take(cost, clock.now());
    if (decision.allowed()) passed.push_back({latest, cost.micros()});
    if (decision.verdict == Verdict::kLimited) wait = decision.retry_after;
  }
  return passed;
}

inline rc::Gen<Instant> any_start() {
  return rc::gen::map(rc::gen::oneOf(rc::gen::element<int64_t>(0, 1'700'000'000'000'000'000),
                                     between(-1'000'000'000'000, 1'800'000'000'000'000'000)),
                      [](int64_t ns) { return Instant(ns); });
}

}  // namespace sluice::properties
