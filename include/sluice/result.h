// A value, or the reason why there is none. The library never throws, prints or exits.
#pragma once

#include <stdint.h>

#if __STDC_HOSTED__
#include <new>
#include <string>
#else
inline void* operator new(decltype(sizeof(0)), void* where) noexcept { return where; }
#endif

#include "sluice/export.h"

namespace sluice {

enum class ErrorCode : uint8_t {
  kNotFinite,    // nan or infinity
  kNotPositive,  // zero or less
  kTooSmall,     // positive, but finer than the arithmetic resolves
  kTooLarge,     // beyond the range in which the arithmetic is exact
  kTooMany,      // more items than one call may carry
  kOutOfMemory,
};

// What was wrong with which input. `field` is a literal: "rate", "capacity", "cost", ...
struct Error {
  ErrorCode code = ErrorCode::kNotFinite;
  const char* field = "";

  friend constexpr bool operator==(const Error& a, const Error& b) { return a.code == b.code; }
};

#if __STDC_HOSTED__
// One sentence for people: the field, what is wrong with it, and what would be right.
SLUICE_EXPORT std::string describe(const Error& error);
#endif

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(static_cast<T&&>(value)), ok_(true) {}  // NOLINT: returns read better without a cast.
  Result(Error error) : error_(error), ok_(false) {}               // NOLINT
  Result(Result&& other) noexcept : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(static_cast<T&&>(other.value_));
    } else {
      error_ = other.error_;
    }
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (ok_) value_.~T();
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

  // REQUIRES: ok().
  T& value() & { return value_; }
  const T& value() const& { return value_; }
  T&& value() && { return static_cast<T&&>(value_); }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return static_cast<T&&>(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

  // REQUIRES: !ok().
  const Error& error() const { return error_; }

 private:
  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

}  // namespace sluice
