// Bytes on their way out of a connection. Keeps its memory for the next reply. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace sluice::net {

class Output {
 public:
  // A session that finds more than this waiting stops, and is called again when it was sent.
  static constexpr size_t kHighWater = size_t{256} << 10;

  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Room for `size` more bytes: write there, then commit() what was written. Valid until the next call.
  char* reserve(size_t size) {
    if (capacity_ - end_ < size) grow(size);
    return memory_.get() + end_;
  }
  void commit(size_t size) { end_ += size; }
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    commit(bytes.size());
  }

  std::string_view bytes() const { return {memory_.get() + start_, end_ - start_}; }
  size_t size() const { return end_ - start_; }
  bool empty() const { return start_ == end_; }
  bool has_room() const { return size() < kHighWater; }

  void drop_front(size_t size) {
    start_ += size;
    if (start_ == end_) clear();
  }
  void clear() { start_ = end_ = 0; }
  // Gives the memory back too.
  void release() {
    clear();
    memory_.reset();
    capacity_ = 0;
  }

 private:
  void grow(size_t size);

  std::unique_ptr<char[]> memory_;
  size_t capacity_ = 0;
  size_t start_ = 0;
  size_t end_ = 0;
};

}  // namespace sluice::net
