// Work whose cost is known only afterwards: an estimate was taken, and what it really cost is settled later, once.
// One that nobody settles stands as it is and is forgotten when its time is up. Thread-safe, bounded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "limiter/answer.h"
#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice::limiter {

// A bucket that paid the estimate. It is known by its rule, whose limit may change meanwhile.
struct HeldBucket {
  std::string policy;  // empty for a bucket beside the rules
  std::string rule;
  std::string key;
  uint32_t part = 0;
  Limit limit;  // as it was
  Tokens cost;
};

using Reservation = std::vector<HeldBucket>;

class Reservations {
 public:
  struct Options {
    size_t most = 100'000;
  };

  explicit Reservations(Options options);
  Reservations() : Reservations(Options()) {}
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;

  // Whether one more fits. Those whose time is up make room.
  bool has_room(Instant now);
  // The handle, which cannot be guessed. REQUIRES: has_room() said so; a few more than `most` are kept, for threads
  // that asked at once.
  std::string keep(Reservation reservation, Instant expires);
  // What the handle stands for, once. Nothing if there never was one, it was settled, or its time is up.
  std::optional<Reservation> take(std::string_view handle, Instant now);

  size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  using Handle = std::array<uint64_t, 2>;
  struct HandleHash {
    size_t operator()(const Handle& handle) const { return handle[1]; }
  };
  struct Kept {
    Reservation reservation;
    Instant expires;
  };
  struct Expiry {
    Instant at;
    Handle handle;
    friend bool operator<(const Expiry& a, const Expiry& b) { return a.at != b.at ? a.at < b.at : a.handle < b.handle; }
  };
  // A part of them with a lock of its own.
  struct Shard {
    std::mutex mutex;
    std::random_device random;
    std::unordered_map<Handle, Kept, HandleHash> kept;
    std::set<Expiry> expiries;  // of all that are kept
  };
  static constexpr size_t kShards = 16;

  void forget_expired(Shard& shard, Instant now);
  static std::optional<Handle> parse(std::string_view text);
  static std::string text_of(const Handle& handle);

  const Options options_;
  std::array<Shard, kShards> shards_;
  std::atomic<size_t> size_{0};
  std::atomic<size_t> next_{0};
};

}  // namespace sluice::limiter
