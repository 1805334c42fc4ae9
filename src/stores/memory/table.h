// The table: one array of slots shared by all threads, that grows and is cleaned in place while it is used.
//
// Linear probing. A key's home is its fingerprint scaled to the number of slots, so homes keep their order when the
// table grows. A sweep walks the array from its end to its start and, piece by piece, drops buckets that are full and
// moves the others to where they belong in the larger table; a piece is locked for some microseconds, and nothing else
// ever waits. Those who insert pay for it, a little each; no background thread is needed.
//
// Who waits for a slot holds none behind it: they are locked in ascending order, or by those who give up instead of
// waiting. docs/decisions/0002-table.md says why this is free of deadlock and why no key is ever lost or doubled.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "sluice/result.h"
#include "sluice/units.h"
#include "stores/memory/annex.h"
#include "stores/memory/slot.h"

namespace sluice::memory {

class Table {
 public:
  struct Options {
    uint64_t first_slots = 2048;
    uint64_t max_slots = 1 << 20;
    uint64_t lead_slots = 0;  // for others to use; they come before all slots of the table in the order of locking
    bool huge_pages = true;
  };

  // Where a key is, or where it would be put. Valid until the next sweep of a piece: see is_current().
  struct Place {
    Slot* slot = nullptr;  // nullptr: no room
    bool found = false;
    uint32_t era = 0;
  };

  // How many slots fit in a bound that also holds the lead slots and what chains need past the last home.
  static uint64_t max_slots_within(uint64_t bytes, uint64_t lead_slots) {
    return bytes / sizeof(Slot) - lead_slots - kTail;
  }

  // Reserves addresses for `max_slots`; memory is taken only as the table grows.
  static Result<std::unique_ptr<Table>> create(const Options& options, Annexes& annexes);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Looks a key up without locking. A request that inserts several keys at once says which unused slots it has `taken`.
  Place find(const Fingerprint& fingerprint, std::span<Slot* const> taken = {}) const;
  // The slot that holds a key, if it is where it is expected: a key being moved just now may be missed.
  Slot* find_known(const Fingerprint& fingerprint) const {
    for (Slot* slot = slots_ + home(fingerprint).index;; ++slot) {
      const Fingerprint there = slot->fingerprint();
      if (there == fingerprint) return slot;
      if (there.low == 0) return nullptr;  // The very last slot is never used.
    }
  }
  // Two cache lines: that is as far as most chains go.
  void prefetch(const Fingerprint& fingerprint) const {
    const Slot* const slot = slots_ + home(fingerprint).index;
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + 2, 1);
  }

  // REQUIRES: place.slot is locked. Whether the place still is what find() said it was.
  bool is_current(const Place& place, const Fingerprint& fingerprint) const;

  // REQUIRES: place.slot is locked and current, and was not found. Names the slot.
  void claim(const Place& place, const Fingerprint& fingerprint);

  // REQUIRES: this thread holds no lock. To be called once for each claim: starts a sweep when one is due, and does a
  // share.
  void maintain(Instant now);

  // REQUIRES: this thread holds no lock. Does a share of a sweep whether one is due or not, to find annexes that are
  // full.
  void reclaim(Instant now) { sweep(now, true); }

  // REQUIRES: this thread holds no lock. Whether one more key may be put in; sweeps for room if that can help.
  bool make_room(Instant now);

  Slot* lead() const { return slots_ - options_.lead_slots; }

  uint64_t slots() const { return unpack_high(extent_.load(std::memory_order_acquire)); }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t reclaimed() const { return reclaimed_.load(std::memory_order_relaxed); }
  uint64_t bytes() const { return (options_.lead_slots + slots() + kTail) * sizeof(Slot); }

 private:
  // Chains may run past the last home. No chain is this long: by the usual estimate for linear probing, even a table of
  // 2^32 slots that is 13/16 full has one with a chance below 1e-7.
  static constexpr uint64_t kTail = 2048;
  static constexpr size_t kMaxMoving = 2 * kTail;

  struct Home {
    uint64_t index;
    uint32_t era;
  };
  struct Moving {
    Fingerprint fingerprint;
    PackedBucket bucket;
    uint64_t home;
  };
  // The slots from `first` to `last`, all locked by the sweep. No chain crosses either end.
  struct Piece {
    uint64_t first;
    uint64_t last;
    uint64_t start;  // the first slot to sweep: behind `first`, which is unused, or 0
  };

  Table(Slot* slots, const Options& options, Annexes& annexes, std::unique_ptr<Moving[]> moving);

  static uint64_t scale(uint64_t high, uint64_t slots) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(high) * slots >> 64);
  }
  static uint64_t pack_two(uint64_t high, uint64_t low) { return high << 32 | low; }
  static uint64_t unpack_high(uint64_t both) { return both >> 32; }
  static uint64_t unpack_low(uint64_t both) { return both & UINT32_MAX; }

  Home home(const Fingerprint& fingerprint) const {
    const uint64_t plan = plan_.load(std::memory_order_acquire);
    const uint64_t extent = extent_.load(std::memory_order_acquire);
    uint64_t index = scale(fingerprint.high, unpack_high(extent));
    if (index >= unpack_low(extent)) index = scale(fingerprint.high, unpack_low(plan));
    return {index, static_cast<uint32_t>(unpack_high(plan))};
  }

  void sweep(Instant now, bool is_for_annexes);
  void start_sweep(Instant now, bool is_for_annexes);
  bool choose_next_slots(Instant now);
  void touch_targets();
  void sweep_piece(Instant now);
  Piece lock_piece();
  void extend_piece(Piece& piece);
  void move_far(const Piece& piece, Instant now);
  void rebuild(Piece& piece, Instant now);
  void put(const Moving& moving);
  bool drop_if_full(const PackedBucket& bucket, Instant now);
  static bool is_full(const PackedBucket& bucket, Instant now);
  double share_of_full(Instant now) const;
  bool is_sweeping() const { return next_slots_ != 0; }
  bool has_room() const;
  size_t mapped_bytes() const { return mapped_bytes(options_); }
  static size_t mapped_bytes(const Options& options) {
    return (options.lead_slots + options.max_slots + kTail) * sizeof(Slot);
  }

  Slot* const slots_;
  const Options options_;
  Annexes& annexes_;

  // extent_: number of slots | homes from here on are laid out for the next number. plan_: era | next number of slots.
  alignas(64) std::atomic<uint64_t> extent_;
  std::atomic<uint64_t> plan_;

  alignas(64) std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> reclaimed_{0};
  std::atomic<bool> is_due_{false};

  // The sweep, owned by whoever set the flag.
  alignas(64) std::atomic_flag sweeper_ = ATOMIC_FLAG_INIT;
  uint64_t next_slots_ = 0;
  uint64_t cut_ = 0;
  uint64_t tries_when_full_ = 0;
  const std::unique_ptr<Moving[]> moving_;
  size_t moving_count_ = 0;
};

}  // namespace sluice::memory
