// Random asks for tests that compare two stores: few buckets, all algorithms, limits that change on live buckets, costs
// from a millionth to more than fits, several buckets at once, and a clock that jumps.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sluice/limit.h"
#include "stores/store.h"

namespace sluice::redis_store {

class RandomAsks {
 public:
  struct Request {
    stores::Action action = stores::Action::kTake;
    std::vector<Take> takes;
    size_t together = 0;
  };

  explicit RandomAsks(uint64_t seed) : random_(seed) {
    for (size_t i = 0; i < limits_.size(); ++i) {
      limits_[i] = i % 3 == 2 ? with_other_capacity(limits_[i - 1]) : any_limit();
    }
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = "key{" + std::to_string(i);
    for (size_t& limit : limit_of_) limit = below(limits_.size());
  }

  // Whole microseconds. Time mostly goes on, by anything from nothing to years.
  Instant next_time() {
    const int kind = chance();
    if (kind < 10) return now();
    if (kind < 93) {
      micros_ += static_cast<int64_t>(log_uniform(1, kind < 91 ? 1e8 : 3e13));
    } else {
      micros_ -= static_cast<int64_t>(log_uniform(1, kind < 99 ? 1e7 : 1e12));
    }
    if (micros_ > 5'000'000'000'000'000 || micros_ < 0) micros_ = 1'700'000'000'000'000;
    return now();
  }

  // How many requests to ask at a time: with few, buckets are named once, with many, several times.
  size_t next_count() { return chance() < 40 ? 1 + below(4) : 48; }

  Request next() {
    Request request;
    const int kind = chance();
    request.action = kind < 72   ? stores::Action::kTake
                     : kind < 84 ? stores::Action::kPeek
                     : kind < 97 ? stores::Action::kRefund
                                 : stores::Action::kReset;
    const size_t takes = chance() < 60 ? 1 : 1 + below(5);
    for (size_t i = 0; i < takes; ++i) request.takes.push_back(next_take());
    request.together = chance() < 70 ? takes : below(takes + 1);
    return request;
  }

 private:
  Instant now() const { return Instant(micros_ * 1000); }
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  int chance() { return static_cast<int>(below(100)); }
  double log_uniform(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>()(random_));
  }

  Take next_take() {
    const size_t bucket = below(limit_of_.size());
    if (chance() < 5) limit_of_[bucket] = below(limits_.size());
    if (chance() < 2) limit_of_[bucket] = limit_of_[bucket] / 3 * 3 + 1 + below(2);
    const Limit& limit = limits_[limit_of_[bucket]];
    return {keys_[bucket / 2], &limit, any_cost(limit), static_cast<uint32_t>(bucket % 2)};
  }

  Tokens any_cost(const Limit& limit) {
    const int kind = chance();
    if (kind < 40) return kOneToken;
    if (kind < 45) return Tokens::micros(1 + static_cast<int64_t>(below(3)));
    if (kind < 50) return limit.capacity();
    if (kind < 54) return limit.capacity() + Tokens::micros(1);
    if (kind < 56) return Tokens::whole(1'000'000'000'000);
    return Tokens::micros(static_cast<int64_t>(log_uniform(1, static_cast<double>(limit.capacity().micros()))));
  }

  Limit any_limit() {
    for (;;) {
      const auto algorithm = static_cast<Algorithm>(below(6));
      const Tokens capacity = chance() < 50 ? Tokens::whole(static_cast<int64_t>(1 + below(50)))
                                            : Tokens::micros(static_cast<int64_t>(log_uniform(1, 1e15)));
      const auto limit = is_bucket(algorithm) ? bucket(algorithm, capacity) : window(algorithm, capacity);
      if (limit.ok()) return *limit;
    }
  }

  // The way most limits are changed. Others are left as they are.
  Limit with_other_capacity(const Limit& limit) {
    const Tokens capacity = Tokens::micros(limit.capacity().micros() / 3 + 1);
    if (!is_bucket(limit.algorithm())) return limit;
    return *bucket(limit.algorithm(), limit.rate(), capacity);
  }

  Result<Limit> bucket(Algorithm algorithm, Tokens capacity) {
    constexpr std::array kNice = {10.0, 1.0, 1.0 / 3, 100.0 / 60, 5.0 / 86'400, 0.7, 1e-9, 1e9, 4'999'999.123};
    const auto rate = Rate::per_second(chance() < 50 ? kNice[below(kNice.size())] : log_uniform(1e-9, 1e9));
    return bucket(algorithm, *rate, capacity);
  }

  static Result<Limit> bucket(Algorithm algorithm, Rate rate, Tokens capacity) {
    if (algorithm == Algorithm::kTokenBucket) return Limit::token_bucket(rate, capacity);
    if (algorithm == Algorithm::kLeakyBucket) return Limit::leaky_bucket(rate, capacity);
    return Limit::leaky_queue(rate, capacity);
  }

  Result<Limit> window(Algorithm algorithm, Tokens capacity) {
    constexpr std::array<int64_t, 5> kNice = {1'000'000, 10'000'000, 60'000'000, 1'000, 100LL * 366 * 86'400'000'000};
    const Duration length =
        Duration::micros(chance() < 50 ? kNice[below(kNice.size())] : static_cast<int64_t>(log_uniform(1e3, 3e15)));
    if (algorithm == Algorithm::kFixedWindow) return Limit::fixed_window(capacity, length);
    if (algorithm == Algorithm::kSlidingWindowLog) return Limit::sliding_window_log(capacity, length);
    return Limit::sliding_window_counter(capacity, length);
  }

  std::mt19937_64 random_;
  int64_t micros_ = 1'700'000'000'000'000;
  std::array<Limit, 24> limits_;
  std::array<std::string, 8> keys_;
  std::array<size_t, 16> limit_of_{};  // of two buckets of each key
};

}  // namespace sluice::redis_store
