// The port behind which buckets are remembered. One store answers at once, from memory; another later, over a network.
// What is asked lives with whoever asks until it is answered, so that neither way allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sluice/decision.h"
#include "sluice/take.h"
#include "sluice/units.h"

namespace sluice::stores {

enum class Action : uint8_t {
  kTake,
  kPeek,    // as kTake, but takes nothing
  kRefund,  // gives back each take's cost
  kReset,   // makes each bucket full
};

// How one bucket stands after the answer. Of a request that was rejected, `decision` says what this bucket alone would
// have done, and `remaining` what is there.
struct BucketResult {
  Decision decision;
  Duration reset_after;  // until it is full
};

enum class Progress : uint8_t {
  kAnswered,
  kPending,      // the listener will be told
  kUnavailable,  // nothing is known to have changed; asking again may take tokens twice
};

class Listener {
 public:
  // Once, on the thread that asked: kAnswered or kUnavailable.
  virtual void on_answer(Progress progress) = 0;

 protected:
  ~Listener() = default;
};

// Whether a server may take tokens of a bucket in advance and spend them without asking; docs/scaling.md has the
// bounds.
struct LeaseTerms {
  enum class Kind : uint8_t { kOff, kAuto, kFixed };

  Kind kind = Kind::kOff;
  Tokens tokens;  // kFixed: at a time
  Duration ttl;   // how long they may lie here; kAuto: the store's choice
};

// When a take was decided, by the clock of its store, and what its bucket had given with it, as the store counts that.
struct Decided {
  int64_t at_us = 0;
  int64_t given = 0;

  bool operator==(const Decided&) const = default;
};

// Must stay where it is, with all it points to, until it is answered.
struct Ask {
  Action action = Action::kTake;
  std::span<const Take> takes;
  // That many are taken all or nothing. Each of those behind them is taken on its own, and only if these passed.
  size_t together = 0;
  Instant now;  // for stores that have no clock of their own
  // As many as takes. Not written by kRefund and kReset.
  std::span<BucketResult> results;
  Listener* listener = nullptr;  // may be nullptr for a store that answers at once
  // As many as takes, or none: every answer is exact then.
  std::span<const LeaseTerms> leases{};
  // A bit for each take whose result means nothing: it did not have to be asked, since another was known to reject the
  // request, or it is one of those behind and could not be asked. Written by the store where it is not 0.
  uint32_t not_asked = 0;
  // Of takes that are undone: they were taken in advance, and nobody counted on them. Other servers are not told of it.
  bool is_quiet = false;
  // As many as takes, or none. Written by a store across a network for kTake. Of kRefund: these takes are undone. Each
  // bucket is then as if it had never given them, which may be less than it had with them back: a full one takes no
  // more.
  std::span<Decided> decided{};
  // When whoever asks began to wait, in ns of the monotonic clock, if that was before: the time-out of a store across a
  // network counts from there.
  int64_t since_ns = 0;
};

// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  // The most buckets that one request may have.
  static constexpr size_t kMaxTakes = 32;

  // REQUIRES: at most kMaxTakes takes.
  virtual Progress ask(Ask& ask) = 0;
  // Whether others on the same thread may ask before ask() returns.
  virtual bool waits() const { return false; }
};

// Whether a decision over several buckets speaks of `a` rather than of `b`, which came before it: impossible before
// waiting, the longest wait before shorter ones, the fewest remaining before more.
inline bool names_before(const Decision& a, const Decision& b) {
  if (a.verdict != b.verdict) return a.verdict > b.verdict;
  if (!a.allowed()) return a.retry_after > b.retry_after;
  return a.remaining < b.remaining;
}

}  // namespace sluice::stores
