// Bytes that are zero and take no room before they are touched. Owned.
#pragma once

#include <cstddef>

namespace sluice::audit {

class ZeroedMemory {
 public:
  explicit ZeroedMemory(size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  // nullptr and 0 where the system gave none.
  char* data() const { return data_; }
  size_t size() const { return size_; }

  // All are zero again, and take no room.
  void give_back();

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace sluice::audit
