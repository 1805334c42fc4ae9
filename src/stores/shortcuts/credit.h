// Tokens that were taken in advance from one bucket and lie here. For one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sluice/units.h"
#include "stores/store.h"

namespace sluice::shortcuts {

// What one question brought.
struct Lot {
  Tokens tokens;
  stores::Decided decided;  // as the store told it
  Instant since;            // just before the question was sent
  Instant until;            // spent before this, or not at all

  bool is_empty() const { return tokens == Tokens(); }
  bool is_of_one_question_with(const Lot& other) const {
    return since == other.since && until == other.until && decided == other.decided;
  }
};

// Two lots at most: a new one comes when the old one is nearly spent. The older is spent first.
class Credit {
 public:
  static constexpr size_t kLots = 2;
  using Lots = std::array<Lot, kLots>;  // the older first; empty ones last

  bool is_empty() const { return lots_[0].is_empty(); }
  const Lots& lots() const { return lots_; }

  Tokens available(Instant now) const {
    Tokens sum;
    for (const Lot& lot : lots_) sum = lot.until > now ? sum + lot.tokens : sum;
    return sum;
  }

  // What it was taken from, so that it can be put back. REQUIRES: as much is available.
  Lots spend(Tokens cost, Instant now) {
    Lots parts;
    for (size_t i = 0; i < kLots; ++i) {
      if (lots_[i].until <= now) continue;
      const Tokens part = std::min(cost, lots_[i].tokens);
      parts[i] = {part, lots_[i].decided, lots_[i].since, lots_[i].until};
      lots_[i].tokens = lots_[i].tokens - part;
      cost = cost - part;
    }
    close_gap();
    return parts;
  }

  // Returns the oldest lot if there are now too many; else an empty one.
  Lot add(const Lot& lot) {
    if (lot.is_empty()) return {};
    for (Lot& own : lots_) {
      if (own.is_empty() || !own.is_of_one_question_with(lot)) continue;
      own.tokens = own.tokens + lot.tokens;
      return {};
    }
    Lot oldest = lots_[1].is_empty() ? Lot() : std::exchange(lots_[0], lots_[1]);
    lots_[1] = lot;
    close_gap();
    if (!lots_[1].is_empty() && lots_[1].since < lots_[0].since) std::swap(lots_[0], lots_[1]);
    if (!oldest.is_empty() && lots_[0].since < oldest.since) std::swap(lots_[0], oldest);
    return oldest;
  }

  // Removes the lots for which `goes` holds.
  template <class Goes>
  Lots remove(const Goes& goes) {
    Lots removed;
    for (size_t i = 0; i < kLots; ++i) {
      if (!lots_[i].is_empty() && goes(lots_[i])) removed[i] = std::exchange(lots_[i], {});
    }
    close_gap();
    return removed;
  }

 private:
  void close_gap() {
    if (lots_[0].is_empty()) lots_[0] = std::exchange(lots_[1], {});
  }

  Lots lots_;
};

}  // namespace sluice::shortcuts
