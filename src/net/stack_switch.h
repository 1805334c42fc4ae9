// Tells the sanitizers that a thread goes on with another stack: they could not know. Does nothing without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace sluice::net {

// One stack, as the sanitizers know it.
class StackMark {
 public:
  StackMark() = default;
  StackMark(const StackMark&) = delete;
  StackMark& operator=(const StackMark&) = delete;

#if defined(__SANITIZE_ADDRESS__)
  void set(const void* bottom, size_t size) {
    bottom_ = bottom;
    size_ = size;
  }
  // Before the switch, on the stack that is left: `from` is its mark.
  void leave_for(StackMark& from) const { __sanitizer_start_switch_fiber(&from.fake_, bottom_, size_); }
  // Likewise, by one that will not be reached again.
  void leave_for_good() const { __sanitizer_start_switch_fiber(nullptr, bottom_, size_); }
  // After the switch, on the stack that was reached; learns where the other one was.
  void arrive_from(StackMark& from) const { __sanitizer_finish_switch_fiber(fake_, &from.bottom_, &from.size_); }

 private:
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  void* fake_ = nullptr;
#elif defined(__SANITIZE_THREAD__)
  void set(const void*, size_t) { context_ = own_ = __tsan_create_fiber(0); }
  // Must be part of its caller: the sanitizer would count the return from it on the other stack, which never called it.
  [[gnu::always_inline]] void leave_for(StackMark& from) const {
    // Of a thread: the last one to come here may be another than the first.
    if (from.own_ == nullptr) from.context_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(context_, 0);
  }
  // The functions that are on it have yet to return.
  void leave_for_good() const {}
  [[gnu::always_inline]] void arrive_from(StackMark&) const {
    if (__tsan_get_current_fiber() != context_) __tsan_switch_to_fiber(context_, 0);
  }
  ~StackMark() {
    if (own_ != nullptr) __tsan_destroy_fiber(own_);
  }

 private:
  void* context_ = nullptr;
  void* own_ = nullptr;
#else
  void set(const void*, size_t) {}
  void leave_for(StackMark&) const {}
  void leave_for_good() const {}
  void arrive_from(StackMark&) const {}
#endif
};

}  // namespace sluice::net
