#include "limiter/local_shares.h"

#include <algorithm>

namespace sluice::limiter {
namespace {

Result<Limit> with(const Limit& limit, Rate rate, Tokens capacity) {
  switch (limit.algorithm()) {
    case Algorithm::kTokenBucket: return Limit::token_bucket(rate, capacity);
    case Algorithm::kLeakyBucket: return Limit::leaky_bucket(rate, capacity);
    case Algorithm::kLeakyQueue: return Limit::leaky_queue(rate, capacity);
    case Algorithm::kFixedWindow: return Limit::fixed_window(capacity, limit.window());
    case Algorithm::kSlidingWindowLog: return Limit::sliding_window_log(capacity, limit.window());
    case Algorithm::kSlidingWindowCounter: return Limit::sliding_window_counter(capacity, limit.window());
  }
  return limit;
}

}  // namespace

Limit share_of(const Limit& limit, uint32_t peers) {
  const auto parts = static_cast<int64_t>(std::max<uint32_t>(peers, 1));
  if (parts == 1) return limit;
  const int64_t whole = limit.capacity().micros();
  const int64_t least = std::min(whole, kOneToken.micros());
  const auto rate = Rate::per_second(limit.rate().as_double() / static_cast<double>(parts));
  if (!rate) return limit;  // slower than any rate there is
  const auto share = with(limit, *rate, Tokens::micros(std::max(whole / parts, least)));
  return share ? *share : limit;
}

size_t LocalShares::Hash::operator()(const Limit& limit) const {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = static_cast<uint64_t>(limit.capacity().micros());
  hash = hash * kOdd + static_cast<uint64_t>(limit.rate().numerator());
  hash = hash * kOdd + static_cast<uint64_t>(limit.rate().denominator());
  return hash * kOdd + static_cast<uint64_t>(limit.algorithm());
}

void LocalShares::begin(uint32_t peers) {
  if (peers != peers_ || shares_.size() >= kMost) shares_.clear();
  peers_ = peers;
}

const Limit& LocalShares::of(const Limit& limit) {
  const auto found = shares_.find(limit);
  if (found != shares_.end()) return found->second;
  return shares_.emplace(limit, share_of(limit, peers_)).first->second;
}

}  // namespace sluice::limiter
