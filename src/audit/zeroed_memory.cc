#include "audit/zeroed_memory.h"

#include <sys/mman.h>

namespace sluice::audit {

ZeroedMemory::ZeroedMemory(size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  data_ = static_cast<char*>(memory);
  size_ = bytes;
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

void ZeroedMemory::give_back() {
  if (data_ != nullptr) madvise(data_, size_, MADV_DONTNEED);
}

}  // namespace sluice::audit
