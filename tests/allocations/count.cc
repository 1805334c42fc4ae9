#include "allocations/count.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local uint64_t count = 0;

void* allocate(size_t size, size_t alignment) noexcept {
  ++count;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(size_t size, size_t alignment) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

// Not inline: seen through, it would look like a mistake to the compiler.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

uint64_t sluice::testing::allocations() { return count; }

// All of them: a sanitizer brings its own for those that are left out.
void* operator new(size_t size) { return allocate_or_throw(size, kUsual); }
void* operator new[](size_t size) { return allocate_or_throw(size, kUsual); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, kUsual); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, kUsual); }
void* operator new(size_t size, std::align_val_t at) { return allocate_or_throw(size, static_cast<size_t>(at)); }
void* operator new[](size_t size, std::align_val_t at) { return allocate_or_throw(size, static_cast<size_t>(at)); }
void* operator new(size_t size, std::align_val_t at, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<size_t>(at));
}
void* operator new[](size_t size, std::align_val_t at, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<size_t>(at));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
