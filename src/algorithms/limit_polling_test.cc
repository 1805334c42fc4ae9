// Several limits at one key, asked in turns: however often a bucket is carried over, its credit is not eroded (law 3).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/rational.h"
#include "properties/bucket_under_test.h"
#include "properties/limits.h"

namespace sluice {
namespace {

using namespace properties;
using model::Rational;

constexpr Instant kStart{1'700'000'000'000'000'000};

Limit limit_of(double rate) { return *Limit::token_bucket(*Rate::per_second(rate), Tokens::whole(1'000'000'000)); }

Tokens impossible_cost(const Limit& limit) { return limit.capacity() + Tokens::micros(1); }

struct Polling {
  Limit limits[2];
  Duration pauses[2];  // before each
  int rounds;
};

// What has come back to a drained bucket that was only ever refused, and how long that took.
std::pair<Tokens, Duration> polled(const Polling& polling) {
  BucketUnderTest bucket(polling.limits[1]);
  Instant now = kStart;
  bucket.take(bucket.limit().capacity(), now);
  for (int round = 0; round < polling.rounds; ++round) {
    for (int i = 0; i < 2; ++i) {
      now = now + polling.pauses[i];
      bucket.change(polling.limits[i]);
      bucket.take(impossible_cost(bucket.limit()), now);
    }
  }
  return {bucket.remaining(now), now - kStart};
}

TEST(LimitPolling, AtTwoSlowRatesInTurnsBringsTheTokensThatWereDue) {
  const Duration pause = Duration::micros(4'900);
  const auto [back, time] = polled({{limit_of(0.0001), limit_of(0.0002)}, {pause, pause}, 1'000'000});
  EXPECT_GE(back.as_double(), 0.98 * 64 / 65);  // in 9,800 s, short by what the pace rounds off
  EXPECT_LE(back.as_double(), 0.0002 * static_cast<double>(time.ns) / 1e9);
}

TEST(LimitPolling, MoreOftenThanEveryMicrosecondBringsTheTokensThatWereDue) {
  const auto [back, time] = polled({{limit_of(10), limit_of(11)}, {Duration(700), Duration(700)}, 1'000'000});
  EXPECT_GE(back.as_double(), 10 * static_cast<double>(time.ns) / 1e9 - 0.0001);
  EXPECT_LE(back.as_double(), 11 * static_cast<double>(time.ns) / 1e9);
}

// Any pause, also none, so that a bucket may be seen by both limits at once.
rc::Gen<Duration> any_pause() {
  return rc::gen::map(log_uniform(0.5, 1e9), [](double ns) { return Duration(static_cast<int64_t>(ns)); });
}

// The pace rounds off less than a 64th of the credit, whole microseconds less than a thousandth; two millionths may not
// have been finished.
RC_GTEST_PROP(LimitPolling, CostsNoMoreThanThePaceRoundsOffAndSpeedsNothingUp, ()) {
  const double rate = *log_uniform(1e-9, 1e6);
  const Limit slow = limit_of(rate);
  const Limit fast = limit_of(rate * *log_uniform(1.02, 1e3));
  const bool slow_first = *rc::gen::arbitrary<bool>();
  const auto [back, time] = polled({{slow_first ? slow : fast, slow_first ? fast : slow},
                                    {*any_pause(), *any_pause()},
                                    static_cast<int>(*between(1, 3'000))});
  const Rational elapsed = model::seconds(time);
  const Rational due = model::per_second(slow.rate()) * elapsed;
  RC_PRE(due < model::tokens(slow.capacity()));
  RC_ASSERT(model::tokens(back) >= due * model::fraction(1000 - 16 - 1, 1000) - model::fraction(2, 1'000'000));
  RC_ASSERT(model::tokens(back) <= model::per_second(fast.rate()) * elapsed);
}

}  // namespace
}  // namespace sluice
