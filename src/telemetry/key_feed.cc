#include "telemetry/key_feed.h"

namespace sluice::telemetry {

// The ring is kept in the cache by being small, and in memory by being touched now.
KeyFeed::KeyFeed() : ring_(std::make_unique<char[]>(kBytes)) {}

void KeyFeed::copy(std::string_view key, bool is_rejected) {
  const KeyName name(key);
  const size_t size = size_of(name.bytes.size());
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  const uint32_t weight = stride();
  notice_reader(tail);
  const size_t to_end = kBytes - place_of(tail);
  const size_t needed = to_end < size ? to_end + size : size;
  const uint64_t room = kBytes - (tail - known_head_);
  if (room < needed) {
    lost_.add(weight);
  } else {
    if (needed != size) {
      write_record(tail, {0, 0, 0, false, true});
      tail += to_end;
    }
    const auto length = static_cast<uint8_t>(name.bytes.size());
    write_record(tail, {name.hash_of_all, weight, length, is_rejected, false});
    if (length > 0) std::memcpy(ring_.get() + place_of(tail) + sizeof(Record), name.bytes.data(), length);
    fed_.add(weight);
    tail_.store(tail + size, std::memory_order_release);
  }
  slow_down(room);
  begin_next();
}

// The reader was here. If it found little, more may come.
void KeyFeed::notice_reader(uint64_t tail) {
  const uint64_t head = head_.load(std::memory_order_acquire);
  if (head == known_head_) return;
  const bool was_little = tail - known_head_ < kBytes / 4;
  known_head_ = head;
  least_room_ = kBytes / 2;
  if (was_little && stride() > 1) stride_.store(stride() / 2, std::memory_order_relaxed);
}

// Whenever half of what was free is used up, half as many: so the room that is left lasts as long as that before it.
void KeyFeed::slow_down(uint64_t room) {
  if (room > least_room_) return;
  least_room_ /= 2;
  if (stride() < kLongestStride) stride_.store(stride() * 2, std::memory_order_relaxed);
}

// From 1 to 2 * stride - 1 and `stride` on average: a fixed step would never see one of two keys that alternate.
void KeyFeed::begin_next() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const uint32_t now = stride();
  countdown_ = 1 + static_cast<uint32_t>((random_ >> 32) * (2 * uint64_t{now} - 1) >> 32);
}

}  // namespace sluice::telemetry
