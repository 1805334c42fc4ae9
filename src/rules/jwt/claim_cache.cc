#include "rules/jwt/claim_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sluice::rules::jwt {
namespace {

size_t bytes_of(const CachedToken& token) {
  size_t bytes = sizeof(token) + token.text.capacity() + token.refused.detail.capacity();
  for (const auto& claim : token.claims.values) {
    bytes += sizeof(claim) + claim.first.capacity() + claim.second.capacity();
  }
  return bytes;
}

}  // namespace

ClaimCache::ClaimCache(const Bounds& bounds)
    : most_bytes_(bounds.bytes), sets_(std::bit_ceil(std::max<size_t>(1, bounds.sets))) {}

CachedToken* ClaimCache::put(uint64_t hash, std::unique_ptr<CachedToken> token, int64_t unix_seconds) {
  const size_t bytes = bytes_of(*token);
  make_room(bytes, unix_seconds);
  Set& set = set_of(hash);
  const size_t way = way_to_reuse(set, unix_seconds);
  clear(set, way);
  set.tags[way] = tag_of(hash);
  set.used[way] = ++time_;
  set.tokens[way] = std::move(token);
  bytes_ += bytes;
  ++size_;
  return set.tokens[way].get();
}

std::unique_ptr<CachedToken> ClaimCache::take_out(uint64_t hash, const CachedToken* token) {
  Set& set = set_of(hash);
  for (size_t way = 0; way < kWays; ++way) {
    if (set.tokens[way].get() == token) return clear(set, way);
  }
  return nullptr;
}

// An unused one first, then one that will never hold again, then the one not used for longest.
size_t ClaimCache::way_to_reuse(const Set& set, int64_t unix_seconds) const {
  const auto worth = [&](size_t way) -> uint64_t {
    if (!set.tokens[way]) return 0;
    if (set.tokens[way]->validity.until <= unix_seconds) return 1;
    const uint32_t age = time_ - set.used[way];
    return 2 + uint64_t{UINT32_MAX - age};
  };
  size_t best = 0;
  for (size_t way = 1; way < kWays; ++way) {
    if (worth(way) < worth(best)) best = way;
  }
  return best;
}

std::unique_ptr<CachedToken> ClaimCache::clear(Set& set, size_t way) {
  if (!set.tokens[way]) return nullptr;
  bytes_ -= bytes_of(*set.tokens[way]);
  --size_;
  return std::move(set.tokens[way]);
}

// One larger than the whole bound is kept alone.
void ClaimCache::make_room(size_t bytes, int64_t unix_seconds) {
  while (size_ > 0 && bytes_ + bytes > most_bytes_) {
    Set& set = sets_[hand_];
    hand_ = (hand_ + 1) & (sets_.size() - 1);
    for (size_t way = 0; way < kWays; ++way) {
      if (set.tokens[way] && set.tokens[way]->validity.until <= unix_seconds) clear(set, way);
    }
    size_t oldest = kWays;
    for (size_t way = 0; way < kWays; ++way) {
      if (!set.tokens[way]) continue;
      if (oldest == kWays || time_ - set.used[way] > time_ - set.used[oldest]) oldest = way;
    }
    if (oldest != kWays && bytes_ + bytes > most_bytes_) clear(set, oldest);
  }
}

}  // namespace sluice::rules::jwt
