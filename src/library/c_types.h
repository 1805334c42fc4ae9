// What stands behind the opaque types of sluice.h, and how its functions fail. Only for the C interface.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sluice.h"
#include "sluice/clock.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/limiter.h"
#include "sluice/result.h"
#include "sluice/token_bucket.h"

namespace sluice::c {

// A clock behind a function pointer. Thread-safe if the function is.
class ForeignClock final : public Clock {
 public:
  explicit ForeignClock(const sluice_clock& clock) : clock_(clock) {}

  // An Instant is within 146 years of its origin; a stranger's clock may read anything.
  Instant now() override {
    constexpr int64_t kFarthest = int64_t{1} << 62;
    const int64_t ns = clock_.now_ns(clock_.context);
    return Instant(ns < -kFarthest ? -kFarthest : ns > kFarthest ? kFarthest : ns);
  }

 private:
  sluice_clock clock_;
};

// Notes the failure for sluice_last_error() and returns its status. `field` is a literal.
sluice_status fail(sluice_status status, const char* field) noexcept;
sluice_status status_of(ErrorCode code);
inline sluice_status fail(const Error& error) noexcept { return fail(status_of(error.code), error.field); }

// Runs `call`, which returns a status. Nothing but want of memory throws in the library.
template <class Call>
sluice_status guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return fail(SLUICE_OUT_OF_MEMORY, "the call");
  }
}

// The first problem among the arguments of one call; later ones are not looked at.
class Arguments {
 public:
  Arguments& not_null(const void* pointer, const char* field) {
    if (pointer == nullptr) note(SLUICE_NULL_ARGUMENT, field);
    return *this;
  }
  Arguments& key(const sluice_key& key);
  Arguments& cost(double cost);
  Arguments& takes(const sluice_take* takes, size_t count);

  bool ok() const { return status_ == SLUICE_OK; }
  sluice_status refuse() const { return fail(status_, field_); }

 private:
  void note(sluice_status status, const char* field) {
    if (ok()) {
      status_ = status;
      field_ = field;
    }
  }

  sluice_status status_ = SLUICE_OK;
  const char* field_ = "";
};

// Refuses the arguments, or runs `call` on them.
template <class Call>
sluice_status checked(const Arguments& arguments, const Call& call) noexcept {
  if (!arguments.ok()) return arguments.refuse();
  return guarded([&] {
    call();
    return SLUICE_OK;
  });
}

// REQUIRES: checked by Arguments.
inline std::string_view view(const sluice_key& key) { return {key.data, key.length}; }
inline Tokens tokens(double cost) { return cost == 1 ? kOneToken : *cost_of(cost); }

sluice_decision to_c(const Decision& decision);
// nullptr for the system's clock. SLUICE_NULL_ARGUMENT or SLUICE_OUT_OF_MEMORY.
sluice_status make_clock(const sluice_clock* from, std::unique_ptr<ForeignClock>& clock);

}  // namespace sluice::c

// NOLINTBEGIN(readability-identifier-naming): declared in C.
struct sluice_limit {
  sluice::Limit limit;
};

struct sluice_limiter {
  std::unique_ptr<sluice::c::ForeignClock> clock;
  sluice::Limiter limiter;
};

struct sluice_bucket {
  std::unique_ptr<sluice::c::ForeignClock> clock;
  sluice::TokenBucket bucket;
};
// NOLINTEND(readability-identifier-naming)
