#include "doors/retry_after.h"

#include <algorithm>

namespace sluice::doors {
namespace {

constexpr uint32_t kBasis = 2166136261;
constexpr uint32_t kPrime = 16777619;

uint32_t absorb(uint32_t hash, char byte) { return (hash ^ static_cast<unsigned char>(byte)) * kPrime; }

uint32_t absorb(uint32_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = absorb(hash, byte);
  return hash;
}

// FNV alone leaves the low bits of similar keys alike, and the low bits are what decides.
uint32_t finish(uint32_t hash) {
  hash ^= hash >> 16;
  hash *= 0x85ebca6b;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35;
  hash ^= hash >> 16;
  return hash;
}

}  // namespace

uint32_t jitter_seed(std::string_view key) { return finish(absorb(kBasis, key)); }

uint32_t jitter_seed(const limiter::Answer& answer) {
  if (answer.buckets.empty()) {
    if (answer.killed_value.empty()) return 0;
    return finish(absorb(absorb(absorb(kBasis, answer.killed_value), '\0'), answer.killed_address));
  }
  uint32_t hash = absorb(kBasis, answer.buckets.front().key);
  for (const auto& bucket : answer.buckets.subspan(1)) hash = absorb(absorb(hash, '\0'), bucket.key);
  return finish(hash);
}

int64_t jittered_seconds(Duration wait, uint32_t seed) {
  const int64_t base = std::max<int64_t>(wait.ceil_seconds(), 1);
  const int64_t most = base / 2 + base % 2;
  return base + static_cast<int64_t>(seed) % (most + 1);
}

std::optional<int64_t> retry_after_seconds(const limiter::Answer& answer) {
  if (answer.allowed || answer.retry_after >= kForever) return std::nullopt;
  return jittered_seconds(answer.retry_after, jitter_seed(answer));
}

}  // namespace sluice::doors
