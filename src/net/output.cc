#include "net/output.h"

#include <algorithm>

namespace sluice::net {

void Output::grow(size_t size) {
  constexpr size_t kFirst = 4096;
  const size_t used = end_ - start_;
  if (start_ > 0 && capacity_ - used >= size) {
    std::memmove(memory_.get(), memory_.get() + start_, used);
  } else {
    const size_t capacity = std::max({kFirst, 2 * capacity_, used + size});
    std::unique_ptr<char[]> memory(new char[capacity]);
    if (used > 0) std::memcpy(memory.get(), memory_.get() + start_, used);
    memory_ = std::move(memory);
    capacity_ = capacity;
  }
  start_ = 0;
  end_ = used;
}

}  // namespace sluice::net
