// One slot of the table: a fingerprint and a bucket in 32 bytes, with a lock of one bit.
//
// Whoever holds the lock may read and write the bucket. Fingerprints may also be read without it: they are written
// high word first, so a low word that is not 0 belongs to a whole fingerprint.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "algorithms/pace.h"
#include "algorithms/state.h"
#include "fingerprint/fingerprint.h"

namespace sluice::memory {

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// A bucket in two words: lock 1 bit, spent 50, pace 13; since 64. Not set by itself, as a Fingerprint.
struct PackedBucket {
  uint64_t first;
  uint64_t second;

  static constexpr uint64_t kLock = 1;
  static constexpr int kSpentBits = 50;

  static PackedBucket pack(const BucketState& state) {
    return {static_cast<uint64_t>(state.spent) << 1 | static_cast<uint64_t>(state.pace) << (1 + kSpentBits),
            static_cast<uint64_t>(state.since_ns)};
  }
  BucketState unpack() const { return {static_cast<int64_t>(spent()), static_cast<int64_t>(second), pace()}; }
  uint64_t spent() const { return first >> 1 & ((uint64_t{1} << kSpentBits) - 1); }
  uint16_t pace() const { return static_cast<uint16_t>(first >> (1 + kSpentBits)); }
};

// A bucket that threads share. Used alone by TokenBucket, and in each slot.
class LockedBucket {
 public:
  // Waits for whoever holds it: a few dozen nanoseconds, unless that thread was interrupted.
  PackedBucket lock() {
    PackedBucket bucket;
    while (!lock_soon(bucket)) sched_yield();
    return bucket;
  }
  // Waits no longer than somebody holds it who runs. So this may be called in any order while other locks are held, by
  // those who give them all back when it fails.
  bool lock_soon(PackedBucket& bucket) {
    for (int spins = 0; spins < 64; ++spins) {
      uint64_t first = first_.load(std::memory_order_relaxed);
      if ((first & PackedBucket::kLock) == 0 &&
          first_.compare_exchange_weak(first, first | PackedBucket::kLock, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        bucket = {first, second_.load(std::memory_order_relaxed)};
        return true;
      }
      pause_briefly();
    }
    return false;
  }
  // REQUIRES: this thread holds the lock.
  void unlock(const PackedBucket& bucket) {
    second_.store(bucket.second, std::memory_order_relaxed);
    first_.store(bucket.first & ~PackedBucket::kLock, std::memory_order_release);
  }
  // REQUIRES: this thread holds the lock. Leaves the bucket as it is.
  void unlock() {
    first_.store(first_.load(std::memory_order_relaxed) & ~PackedBucket::kLock, std::memory_order_release);
  }

  // REQUIRES: this thread holds the lock.
  void write_locked(const PackedBucket& bucket) {
    second_.store(bucket.second, std::memory_order_relaxed);
    first_.store(bucket.first | PackedBucket::kLock, std::memory_order_relaxed);
  }
  PackedBucket read_locked() const {
    return {first_.load(std::memory_order_relaxed) & ~PackedBucket::kLock, second_.load(std::memory_order_relaxed)};
  }
  // Has the system provide the memory, and changes nothing.
  void touch() { first_.fetch_or(0, std::memory_order_relaxed); }
  // Without the lock the two halves may not belong together: good for an estimate only.
  PackedBucket glance() const { return read_locked(); }

 private:
  std::atomic<uint64_t> first_{0};
  std::atomic<uint64_t> second_{0};
};

class Slot {
 public:
  LockedBucket bucket;

  bool is_used() const { return low_.load(std::memory_order_acquire) != 0; }
  bool holds(const Fingerprint& fingerprint) const {
    return low_.load(std::memory_order_acquire) == fingerprint.low &&
           high_.load(std::memory_order_relaxed) == fingerprint.high;
  }
  Fingerprint fingerprint() const {
    const uint64_t low = low_.load(std::memory_order_acquire);
    return {low, high_.load(std::memory_order_relaxed)};
  }

  // REQUIRES: the bucket's lock is held.
  void name(const Fingerprint& fingerprint) {
    high_.store(fingerprint.high, std::memory_order_relaxed);
    low_.store(fingerprint.low, std::memory_order_release);
  }
  void clear_name() { low_.store(0, std::memory_order_release); }

 private:
  std::atomic<uint64_t> low_{0};
  std::atomic<uint64_t> high_{0};
};

static_assert(sizeof(Slot) == 32);

}  // namespace sluice::memory
