// The rejections of one window of one event loop: a row for each subject, and how often it was rejected. All memory is
// there from the start, and none of it is touched before it is needed. Used by one thread at a time: an event loop
// fills it, then the writer reads and clears it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "audit/rejection.h"
#include "audit/violation.h"
#include "audit/zeroed_memory.h"
#include "fingerprint/fingerprint.h"

namespace sluice::audit {

class Page {
 public:
  struct Size {
    uint32_t rows = 0;
    size_t bytes = 0;  // for what rows tell: keys and all else
  };

  // Where the system gives no memory, every row is one too many.
  explicit Page(const Size& size);

  void prefetch(const Fingerprint& subject) const { __builtin_prefetch(slots_ + home_of(subject), 1); }

  // One more rejection. `describe` makes a Rejection, and is called only for the first of a subject. False if there is
  // no room for it.
  template <class Describe>
  bool note(const Fingerprint& subject, int64_t at_us, const Describe& describe) {
    // Of a page without memory there is no slot either.
    if (slots_ == nullptr) [[unlikely]]
      return false;
    Slot& slot = slot_of(subject);
    if (slot.count == 0) return add(slot, subject, at_us, describe());
    if (slot.count == UINT32_MAX) [[unlikely]]
      return false;
    ++slot.count;
    slot.last = std::max(slot.last, since_begin(at_us));
    return true;
  }

  size_t rows() const { return rows_; }
  bool has_much_room() const { return rows_ < most_rows_ / 8 && used_ < records_.size() / 8; }

  // Rows come in the order in which they were made. Begins at 0; false when there are no more.
  bool read(size_t& position, Violation& row) const;

  // Empty again. Memory that was touched once and is not needed any more goes back to the system.
  void clear();

 private:
  // All that a further rejection of the same subject touches: the smaller, the more of them are in the caches. The
  // other half of the fingerprint is where the slot is, so that two subjects are one with a chance of about 2^-80.
  struct Slot {
    uint64_t subject;
    uint32_t last;   // since_begin()
    uint32_t count;  // 0: nothing is here
  };
  static_assert(sizeof(Slot) == 16);
  struct Record;
  static constexpr size_t kAlignment = 8;
  static constexpr int kUnitBits = 10;

  // In units of 1024 microseconds: the clock of the doors is no finer, and 32 bits last for 50 days.
  uint32_t since_begin(int64_t at_us) const {
    return static_cast<uint32_t>(std::clamp<int64_t>((at_us - begin_us_) >> kUnitBits, 0, UINT32_MAX));
  }

  size_t home_of(const Fingerprint& subject) const { return subject.high & mask_; }
  // At most half of the slots are used, so there is always an end.
  Slot& slot_of(const Fingerprint& subject) {
    size_t at = home_of(subject);
    while (slots_[at].count != 0 && slots_[at].subject != subject.low) at = (at + 1) & mask_;
    return slots_[at];
  }
  bool add(Slot& slot, const Fingerprint& subject, int64_t at_us, const Rejection& rejection);

  const uint32_t most_rows_;
  const size_t mask_;
  ZeroedMemory slot_memory_;
  ZeroedMemory records_;
  Slot* const slots_;
  uint32_t rows_ = 0;
  int64_t begin_us_ = 0;  // of the first row
  size_t used_ = 0;       // of records_
  size_t peak_ = 0;       // the most that was used since memory last went back
};

}  // namespace sluice::audit
