// The moment at which waiting ends.
#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::sql::postgres {

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds from_now) : end_(std::chrono::steady_clock::now() + from_now) {}

  // For poll(): 0 once it has passed.
  int left_ms() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<int64_t>(left.count(), 0));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace sluice::sql::postgres
