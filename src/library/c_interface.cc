// The C interface: errors, arguments and limits. Limiters are in c_limiter.cc, single buckets in c_bucket.cc.
#include <cstdio>
#include <new>
#include <string>

#include "library/c_types.h"

namespace sluice::c {
namespace {

static_assert(static_cast<uint32_t>(Verdict::kAllowed) == SLUICE_ALLOWED);
static_assert(static_cast<uint32_t>(Verdict::kLimited) == SLUICE_LIMITED);
static_assert(static_cast<uint32_t>(Verdict::kCostExceedsCapacity) == SLUICE_COST_EXCEEDS_CAPACITY);
static_assert(SLUICE_FOREVER_NS == kForever.ns);
static_assert(SLUICE_MAX_TAKES == Limiter::kMaxTakes);

struct Failure {
  sluice_status status = SLUICE_OK;
  Error error;
};

thread_local Failure last_failure;

struct Row {
  ErrorCode code;
  sluice_status status;
};
constexpr Row kRows[] = {
    {ErrorCode::kNotFinite, SLUICE_NOT_FINITE}, {ErrorCode::kNotPositive, SLUICE_NOT_POSITIVE},
    {ErrorCode::kTooSmall, SLUICE_TOO_SMALL},   {ErrorCode::kTooLarge, SLUICE_TOO_LARGE},
    {ErrorCode::kTooMany, SLUICE_TOO_MANY},     {ErrorCode::kOutOfMemory, SLUICE_OUT_OF_MEMORY},
};

std::string sentence_of(const Failure& failure) {
  const std::string field = failure.error.field;
  if (failure.status == SLUICE_NULL_ARGUMENT) return field + " must not be NULL";
  if (failure.status == SLUICE_WRONG_ALGORITHM) return field + " must be of a bucket; for a window, create a limiter";
  return describe(failure.error);
}

sluice_status hand_out(Result<Limit> made, sluice_limit** limit) {
  if (!made) return fail(made.error());
  *limit = new (std::nothrow) sluice_limit{*made};
  return *limit == nullptr ? fail(SLUICE_OUT_OF_MEMORY, "limit") : SLUICE_OK;
}

using MakeBucket = Result<Limit> (*)(Rate, Tokens);
using MakeWindow = Result<Limit> (*)(Tokens, Duration);

sluice_status make_bucket(MakeBucket make, double rate, double capacity, sluice_limit** limit) {
  if (limit == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limit");
  *limit = nullptr;
  const auto exact_rate = Rate::per_second(rate);
  if (!exact_rate) return fail(exact_rate.error());
  const auto exact_capacity = capacity_of(capacity);
  if (!exact_capacity) return fail(exact_capacity.error());
  return hand_out(make(*exact_rate, *exact_capacity), limit);
}

sluice_status make_window(MakeWindow make, double capacity, int64_t window_ns, sluice_limit** limit) {
  if (limit == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limit");
  *limit = nullptr;
  const auto exact_capacity = capacity_of(capacity);
  if (!exact_capacity) return fail(exact_capacity.error());
  return hand_out(make(*exact_capacity, Duration(window_ns)), limit);
}

}  // namespace

sluice_status fail(sluice_status status, const char* field) noexcept {
  last_failure = {status, {ErrorCode::kOutOfMemory, field}};
  for (const Row& row : kRows) {
    if (row.status == status) last_failure.error.code = row.code;
  }
  return status;
}

sluice_status status_of(ErrorCode code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.status;
  }
  return SLUICE_OUT_OF_MEMORY;
}

Arguments& Arguments::key(const sluice_key& key) {
  not_null(key.data, "key");
  // Longer than any object: a negative number that became a size.
  if (key.length > PTRDIFF_MAX) note(SLUICE_TOO_LARGE, "key");
  return *this;
}

Arguments& Arguments::cost(double cost) {
  if (cost == 1 || !ok()) return *this;
  const auto tokens = cost_of(cost);
  if (!tokens) note(status_of(tokens.error().code), "cost");
  return *this;
}

Arguments& Arguments::takes(const sluice_take* takes, size_t count) {
  not_null(takes, "takes");
  if (count == 0) note(SLUICE_TOO_SMALL, "takes");
  if (count > SLUICE_MAX_TAKES) note(SLUICE_TOO_MANY, "takes");
  for (size_t i = 0; ok() && i < count; ++i) key(takes[i].key).not_null(takes[i].limit, "limit").cost(takes[i].cost);
  return *this;
}

sluice_decision to_c(const Decision& decision) {
  return {static_cast<uint32_t>(decision.verdict),
          decision.bucket,
          decision.remaining.micros(),
          decision.remaining.floor(),
          decision.retry_after.ns,
          decision.delay.ns};
}

sluice_status make_clock(const sluice_clock* from, std::unique_ptr<ForeignClock>& clock) {
  if (from == nullptr) return SLUICE_OK;
  if (from->now_ns == nullptr) return fail(SLUICE_NULL_ARGUMENT, "clock.now_ns");
  clock.reset(new (std::nothrow) ForeignClock(*from));
  return clock == nullptr ? fail(SLUICE_OUT_OF_MEMORY, "clock") : SLUICE_OK;
}

}  // namespace sluice::c

using sluice::Limit;

const char* sluice_version() { return SLUICE_VERSION; }

const char* sluice_error_message(sluice_status status) {
  switch (status) {
    case SLUICE_OK: return "no error";
    case SLUICE_NULL_ARGUMENT: return "an argument is NULL; pass what the function's description asks for";
    case SLUICE_NOT_FINITE: return "a number is nan or infinite; pass a finite one";
    case SLUICE_NOT_POSITIVE: return "a number is zero or less; pass one greater than 0";
    case SLUICE_TOO_SMALL: return "a number or a list is too small; sluice.h gives the least of each";
    case SLUICE_TOO_LARGE: return "a number is too large; sluice.h gives the most of each";
    case SLUICE_TOO_MANY: return "more items than one call may carry; split it into several calls";
    case SLUICE_OUT_OF_MEMORY: return "there is not enough memory; free some, or lower max_bytes";
    case SLUICE_WRONG_ALGORITHM: return "a single bucket cannot be a window; create a limiter";
    default: return "not a status of this library; its version may be older than the header";
  }
}

const char* sluice_last_error() {
  thread_local char text[160];
  if (sluice::c::last_failure.status == SLUICE_OK) return "";
  try {
    std::snprintf(text, sizeof text, "%s", sluice::c::sentence_of(sluice::c::last_failure).c_str());
    return text;
  } catch (...) {
    return sluice_error_message(sluice::c::last_failure.status);
  }
}

sluice_status sluice_limit_token_bucket(double rate, double capacity, sluice_limit** limit) {
  return sluice::c::make_bucket(Limit::token_bucket, rate, capacity, limit);
}

sluice_status sluice_limit_leaky_bucket(double rate, double capacity, sluice_limit** limit) {
  return sluice::c::make_bucket(Limit::leaky_bucket, rate, capacity, limit);
}

sluice_status sluice_limit_leaky_queue(double rate, double capacity, sluice_limit** limit) {
  return sluice::c::make_bucket(Limit::leaky_queue, rate, capacity, limit);
}

sluice_status sluice_limit_fixed_window(double capacity, int64_t window_ns, sluice_limit** limit) {
  return sluice::c::make_window(Limit::fixed_window, capacity, window_ns, limit);
}

sluice_status sluice_limit_sliding_window_log(double capacity, int64_t window_ns, sluice_limit** limit) {
  return sluice::c::make_window(Limit::sliding_window_log, capacity, window_ns, limit);
}

sluice_status sluice_limit_sliding_window_counter(double capacity, int64_t window_ns, sluice_limit** limit) {
  return sluice::c::make_window(Limit::sliding_window_counter, capacity, window_ns, limit);
}

void sluice_limit_destroy(sluice_limit* limit) { delete limit; }
