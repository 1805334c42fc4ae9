// What a connection has been asked and has yet to answer, in order. Grows to what was ever needed, and stays so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::redis {

class Request;

struct Asked {
  Request* request = nullptr;  // none: nobody waits for the reply any more
  int64_t sent_ns = 0;
  uint64_t begin = 0;        // where its bytes begin, of all that the connection was given
  bool with_asking = false;  // to be asked with the word ASKING before it
};

// Those who were ever in it are numbered; the number is the way back to one that is still there.
class Queue {
 public:
  bool empty() const { return first_ == end_; }
  size_t size() const { return static_cast<size_t>(end_ - first_); }
  Asked& front() { return at(first_); }
  Asked& at(uint64_t number) { return ring_[number & (ring_.size() - 1)]; }
  uint64_t first() const { return first_; }
  uint64_t end() const { return end_; }

  void pop() { ++first_; }
  // Its number.
  uint64_t push(const Asked& asked) {
    if (size() == ring_.size()) grow();
    at(end_) = asked;
    return end_++;
  }

 private:
  void grow() {
    std::vector<Asked> larger(ring_.size() * 2);
    for (uint64_t number = first_; number < end_; ++number) larger[number & (larger.size() - 1)] = at(number);
    ring_.swap(larger);
  }

  std::vector<Asked> ring_ = std::vector<Asked>(64);
  uint64_t first_ = 0;
  uint64_t end_ = 0;
};

}  // namespace sluice::redis
