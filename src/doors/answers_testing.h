// Answers for the tests of what callers are told: made by hand, or random and hostile. Each owns what it views.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

#include "limiter/answer.h"
#include "properties/limits.h"

namespace sluice::doors {

struct BucketSpec {
  std::string rule = "free";
  Limit limit = *Limit::token_bucket(10, 20);
  Tokens remaining = Tokens::whole(7);
  Duration reset_after = Duration::millis(1300);
  Tokens cost = kOneToken;
  bool allowed = true;
  Duration retry_after = Duration();
  std::string policy = "public-api";
  std::string key = "user:42";
};

// Copies would view what the original owns, so there are none.
class AnswerUnderTest {
 public:
  AnswerUnderTest() = default;
  AnswerUnderTest(AnswerUnderTest&&) = default;

  // The tightest is the first bucket that rejects, else the last one given.
  AnswerUnderTest& bucket(const BucketSpec& spec) { return add(spec, buckets_); }
  AnswerUnderTest& shadow(const BucketSpec& spec) { return add(spec, shadow_); }

  AnswerUnderTest& reject(limiter::Reason reason, Duration retry_after) {
    answer_.allowed = false;
    answer_.reason = reason;
    answer_.retry_after = retry_after;
    return *this;
  }

  limiter::Answer& answer() {
    answer_.buckets = buckets_;
    answer_.shadow = shadow_;
    answer_.tightest = nullptr;
    for (const limiter::BucketAnswer& bucket : buckets_) {
      if (answer_.tightest == nullptr || answer_.tightest->allowed) answer_.tightest = &bucket;
    }
    if (!answer_.allowed && answer_.tightest != nullptr) {
      answer_.policy = answer_.tightest->policy;
      answer_.rule = answer_.tightest->rule;
    }
    return answer_;
  }

 private:
  AnswerUnderTest& add(const BucketSpec& spec, std::vector<limiter::BucketAnswer>& buckets) {
    const BucketSpec& kept = *specs_.emplace_back(std::make_unique<BucketSpec>(spec));
    buckets.push_back({kept.policy, kept.rule, kept.key, &kept.limit, kept.cost, kept.allowed, kept.remaining,
                       kept.retry_after, kept.reset_after});
    return *this;
  }

  std::vector<std::unique_ptr<BucketSpec>> specs_;
  std::vector<limiter::BucketAnswer> buckets_;
  std::vector<limiter::BucketAnswer> shadow_;
  limiter::Answer answer_;
};

// Names and keys as nobody should write them: quotes, line ends, zero bytes, halves of characters, and very long ones.
inline rc::Gen<std::string> any_hostile_text() {
  const auto piece =
      rc::gen::element<std::string>("free", "a", "-2", " ", "\"", "\\", "\r\n", "\n", "\r\nSet-Cookie: x=1",
                                    std::string(1, '\0'), ";q=9", ", ", "\x7f", "ü", "名", "🙂", "\xc3", "\x80",
                                    "\xf0\x9f", "\xed\xa0\x80", "\xff", "\t", "=", ":", std::string(70, 'n'));
  return rc::gen::map(rc::gen::resize(8, rc::gen::container<std::vector<std::string>>(piece)),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& one : pieces) text += one;
                        return text;
                      });
}

inline rc::Gen<Duration> any_wait() {
  return rc::gen::oneOf(
      rc::gen::map(properties::log_uniform(1, 8.9e18), [](double ns) { return Duration(static_cast<int64_t>(ns)); }),
      rc::gen::element(Duration(1), Duration::seconds(1), Duration::millis(999), Duration(1'000'000'001)));
}

// Nothing in it need be consistent, only within its types: what is said must be well-formed all the same.
inline BucketSpec any_bucket(bool allowed) {
  BucketSpec spec;
  spec.rule = *any_hostile_text();
  spec.policy = *any_hostile_text();
  spec.key = *any_hostile_text();
  spec.limit = properties::any_limit(*properties::any_algorithm());
  spec.remaining = Tokens::micros(*properties::between(0, spec.limit.capacity().micros()));
  spec.cost = Tokens::micros(*properties::between(1, 2 * spec.limit.capacity().micros()));
  spec.allowed = allowed;
  spec.retry_after =
      allowed ? Duration() : *rc::gen::weightedOneOf<Duration>({{4, any_wait()}, {1, rc::gen::just(kForever)}});
  spec.reset_after = *any_wait();
  return spec;
}

inline AnswerUnderTest any_answer() {
  AnswerUnderTest made;
  const bool allowed = *rc::gen::arbitrary<bool>();
  const auto count = *properties::between(0, 6);
  for (int64_t i = 0; i < count; ++i) made.bucket(any_bucket(allowed || *rc::gen::arbitrary<bool>()));
  if (*rc::gen::arbitrary<bool>()) made.shadow(any_bucket(*rc::gen::arbitrary<bool>()));
  limiter::Answer& answer = made.answer();
  answer.degraded = *rc::gen::arbitrary<bool>();
  if (allowed) {
    answer.delay = *rc::gen::element(Duration(), Duration(1), Duration::seconds(3));
    return made;
  }
  using limiter::Reason;
  Reason reason = *rc::gen::element(Reason::kExceeded, Reason::kCostExceedsCapacity, Reason::kKillSwitch,
                                    Reason::kMissingKey, Reason::kTooManyBuckets, Reason::kStoreUnavailable);
  // Only a bucket can be exceeded.
  if (count == 0 && reason == Reason::kExceeded) reason = Reason::kKillSwitch;
  made.reject(reason, *rc::gen::weightedOneOf<Duration>({{4, any_wait()}, {1, rc::gen::just(kForever)}}));
  return made;
}

}  // namespace sluice::doors
