// Buckets by key: one for each user, address, tenant or whatever a string can name. Thread-safe.
//
// Memory is bounded. A bucket takes less than 48 bytes, whatever the length of its key, and goes when it is full again;
// sliding windows take more, and have an eighth of the bound for it (docs/library.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sluice/clock.h"
#include "sluice/decision.h"
#include "sluice/export.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/take.h"

namespace sluice {

class SLUICE_EXPORT Limiter {
 public:
  struct Options {
    // For all buckets together, an eighth of it for what sliding windows remember. When a part is used up, new keys
    // share buckets until others are full: nobody gains tokens.
    uint64_t max_bytes = uint64_t{256} << 20;
    // Must outlive the limiter. nullptr: system_clock().
    Clock* clock = nullptr;
    // Buckets are found faster in huge pages (2 MiB). But the call that makes the memory grow waits for the system to
    // provide a whole one, which on some virtual machines takes milliseconds.
    bool huge_pages = true;
  };

  struct Stats {
    uint64_t keys = 0;       // buckets remembered, full ones not yet reclaimed among them
    uint64_t bytes = 0;      // memory they take
    uint64_t reclaimed = 0;  // buckets that were full and made room
    uint64_t shared = 0;     // requests admitted from shared buckets, for want of room
  };

  // How many limits a key may have, and how many takes a request.
  static constexpr size_t kMaxTakes = 32;

  // Every key gets this limit, or these: a request must pass them all, and takes from all or from none.
  static Result<Limiter> create(const Limit& limit) { return create(limit, Options()); }
  static Result<Limiter> create(const Limit& limit, const Options& options) { return create({&limit, 1}, options); }
  static Result<Limiter> create(std::span<const Limit> limits, const Options& options);

  Limiter(Limiter&&) noexcept;
  Limiter& operator=(Limiter&&) noexcept;
  ~Limiter();

  // Takes `cost` tokens from the key's bucket, or from none of its buckets if one has too few.
  Decision take(std::string_view key, Tokens cost = kOneToken);
  // Many keys at once, each a request of its own, in order. Three times as fast as one by one when there are many keys:
  // memory is fetched ahead. REQUIRES: decisions.size() >= keys.size().
  void take_each(std::span<const std::string_view> keys, std::span<Decision> decisions, Tokens cost = kOneToken);
  // One request over several buckets, each with a key and limit of its own (user, tenant, everybody): all or nothing.
  // kTooMany for more than kMaxTakes.
  Result<Decision> take_all(std::span<const Take> takes);

  // What take() would decide now, with nothing taken: `remaining` is what is there.
  Decision peek(std::string_view key, Tokens cost = kOneToken);
  Result<Decision> peek_all(std::span<const Take> takes);
  // Gives back what was taken but not used; a bucket never holds more than its capacity.
  void refund(std::string_view key, Tokens cost);
  void refund_all(std::span<const Take> takes);
  // Makes the key's buckets full.
  void reset(std::string_view key);

  // The instant, on the limiter's clock, from which take() will pass if nobody else comes first. Never sleeps.
  Instant wait_until(std::string_view key, Tokens cost = kOneToken);
  // Until nothing is missing from the key's buckets, or from that one.
  Duration time_to_full(std::string_view key);
  Duration time_to_full(const Take& take);

  Stats stats() const;
  Clock& clock() const;

 private:
  struct Parts;
  explicit Limiter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice
