// The way of keys from an event loop to whoever counts them: a bounded ring of bytes, one writer, one reader, no lock.
// When keys come faster than they are read, some are left out at random, and those that pass stand for more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "telemetry/counter.h"
#include "telemetry/key_name.h"

namespace sluice::telemetry {

// One key as it comes out. Its name is valid within the call that hands it over.
struct FedKey {
  KeyName name;
  bool is_rejected = false;
  uint32_t weight = 1;  // how many decisions it stands for
};

// add() is for one thread, drain() for one other; the figures are for all.
class KeyFeed {
 public:
  static constexpr size_t kBytes = size_t{1} << 16;
  static constexpr uint32_t kLongestStride = 1 << 10;

  KeyFeed();
  KeyFeed(const KeyFeed&) = delete;
  KeyFeed& operator=(const KeyFeed&) = delete;

  // Some nanoseconds: the key's bytes are copied, or it is left out.
  void add(std::string_view key, bool is_rejected) {
    seen_.add();
    if (--countdown_ == 0) copy(key, is_rejected);
  }

  // Calls `take` with each key that waits, `most` at most; returns how many there were.
  template <class Take>
  size_t drain(size_t most, Take&& take) {
    const uint64_t tail = tail_.load(std::memory_order_acquire);
    uint64_t head = head_.load(std::memory_order_relaxed);
    size_t count = 0;
    for (; head != tail && count < most; ++count) {
      // A gap is never the last: what did not fit stands behind it.
      if (record_at(head).is_gap) head += kBytes - place_of(head);
      const Record record = record_at(head);
      const char* bytes = ring_.get() + place_of(head) + sizeof(Record);
      take(FedKey{{{bytes, record.length}, record.hash_of_all}, record.is_rejected, record.weight});
      head += size_of(record.length);
    }
    head_.store(head, std::memory_order_release);
    return count;
  }

  // Calls of add().
  uint64_t seen() const { return seen_.value(); }
  // The decisions that the keys in the ring stand for, those that were read included: an estimate of seen() - lost().
  uint64_t fed() const { return fed_.value(); }
  // The decisions that nothing stands for, since the ring was full.
  uint64_t lost() const { return lost_.value(); }
  // One key in so many is copied, at present.
  uint32_t stride() const { return stride_.load(std::memory_order_relaxed); }

 private:
  struct Record {
    uint64_t hash_of_all;
    uint32_t weight;
    uint8_t length;
    bool is_rejected;
    bool is_gap;  // nothing more before the end of the ring
  };
  static_assert(sizeof(Record) == 16);

  static constexpr size_t place_of(uint64_t position) { return position & (kBytes - 1); }
  // Records begin at multiples of their own size, so that one is never cut by the end of the ring.
  static constexpr size_t size_of(size_t length) {
    return sizeof(Record) + ((length + sizeof(Record) - 1) & ~(sizeof(Record) - 1));
  }

  Record record_at(uint64_t position) const {
    Record record;
    std::memcpy(&record, ring_.get() + place_of(position), sizeof(record));
    return record;
  }
  void write_record(uint64_t position, const Record& record) {
    std::memcpy(ring_.get() + place_of(position), &record, sizeof(record));
  }

  void copy(std::string_view key, bool is_rejected);
  void begin_next();
  void notice_reader(uint64_t tail);
  void slow_down(uint64_t room);

  // Of the writer.
  alignas(64) uint32_t countdown_ = 1;
  uint64_t least_room_ = kBytes / 2;  // with less, fewer are copied
  uint64_t random_ = 0x9e3779b97f4a7c15;
  uint64_t known_head_ = 0;
  Counter seen_;
  Counter fed_;
  Counter lost_;
  std::atomic<uint32_t> stride_{1};
  std::atomic<uint64_t> tail_{0};
  const std::unique_ptr<char[]> ring_;
  // Of the reader.
  alignas(64) std::atomic<uint64_t> head_{0};
};

}  // namespace sluice::telemetry
