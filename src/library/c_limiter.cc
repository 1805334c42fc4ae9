// The C interface to buckets by key.
#include <algorithm>
#include <array>
#include <new>
#include <span>

#include "library/c_types.h"

using sluice::Decision;
using sluice::Limit;
using sluice::Limiter;
using sluice::Take;
using sluice::c::Arguments;
using sluice::c::checked;
using sluice::c::fail;
using sluice::c::guarded;
using sluice::c::to_c;
using sluice::c::tokens;
using sluice::c::view;

namespace {

// The takes of one request as the library knows them. REQUIRES: checked by Arguments.
class Takes {
 public:
  Takes(const sluice_take* takes, size_t count) : count_(count) {
    for (size_t i = 0; i < count; ++i) {
      takes_[i] = {view(takes[i].key), &takes[i].limit->limit, tokens(takes[i].cost), takes[i].part};
    }
  }
  operator std::span<const Take>() const { return {takes_.data(), count_}; }  // NOLINT

 private:
  std::array<Take, SLUICE_MAX_TAKES> takes_;
  size_t count_;
};

sluice_status hand_out(std::span<const Limit> limits, const sluice_options& options, sluice_limiter** limiter) {
  std::unique_ptr<sluice::c::ForeignClock> clock;
  if (const sluice_status status = sluice::c::make_clock(options.clock, clock); status != SLUICE_OK) return status;
  Limiter::Options wanted;
  if (options.max_bytes != 0) wanted.max_bytes = options.max_bytes;
  wanted.clock = clock.get();
  auto made = Limiter::create(limits, wanted);
  if (!made) return fail(made.error());
  *limiter = new (std::nothrow) sluice_limiter{std::move(clock), std::move(*made)};
  return *limiter == nullptr ? fail(SLUICE_OUT_OF_MEMORY, "limiter") : SLUICE_OK;
}

// Takes for as many of the first requests as have the same cost, and returns how many these were.
size_t take_some(Limiter& limiter, std::span<const sluice_request> requests, sluice_decision* decisions) {
  constexpr size_t kChunk = 64;
  std::array<std::string_view, kChunk> keys;
  std::array<Decision, kChunk> made;
  const double cost = requests[0].cost;
  size_t count = 0;
  for (; count < std::min(kChunk, requests.size()) && requests[count].cost == cost; ++count) {
    keys[count] = view(requests[count].key);
  }
  limiter.take_each({keys.data(), count}, {made.data(), count}, tokens(cost));
  for (size_t i = 0; i < count; ++i) decisions[i] = to_c(made[i]);
  return count;
}

}  // namespace

sluice_status sluice_limiter_create(double rate, double burst, uint64_t max_bytes, sluice_limiter** limiter) {
  if (limiter == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limiter");
  *limiter = nullptr;
  return guarded([&] {
    const auto limit = Limit::token_bucket(rate, burst);
    if (!limit) return fail(limit.error());
    return hand_out({&*limit, 1}, {max_bytes, nullptr}, limiter);
  });
}

sluice_status sluice_limiter_create_with(const sluice_limit* const* limits, size_t count, const sluice_options* options,
                                         sluice_limiter** limiter) {
  if (limiter == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limiter");
  *limiter = nullptr;
  if (limits == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limits");
  if (count > SLUICE_MAX_TAKES) return fail(SLUICE_TOO_MANY, "limits");
  std::array<Limit, SLUICE_MAX_TAKES> all;
  for (size_t i = 0; i < count; ++i) {
    if (limits[i] == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limit");
    all[i] = limits[i]->limit;
  }
  return guarded([&] {
    return hand_out({all.data(), count}, options != nullptr ? *options : sluice_options{}, limiter);
  });
}

void sluice_limiter_destroy(sluice_limiter* limiter) { delete limiter; }

sluice_status sluice_limiter_take(sluice_limiter* limiter, sluice_key key, double cost, sluice_decision* decision) {
  const auto arguments = Arguments().not_null(limiter, "limiter").key(key).cost(cost).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(limiter->limiter.take(view(key), tokens(cost))); });
}

sluice_status sluice_limiter_take_each(sluice_limiter* limiter, const sluice_request* requests, size_t count,
                                       sluice_decision* decisions) {
  Arguments arguments = Arguments().not_null(limiter, "limiter");
  if (count != 0) arguments.not_null(requests, "requests").not_null(decisions, "decisions");
  // Larger than any array: a negative number that became a size.
  if (count > PTRDIFF_MAX / sizeof(sluice_decision)) return fail(SLUICE_TOO_MANY, "requests");
  for (size_t i = 0; arguments.ok() && i < count; ++i) arguments.key(requests[i].key).cost(requests[i].cost);
  return checked(arguments, [&] {
    for (size_t done = 0; done < count;) {
      done += take_some(limiter->limiter, {requests + done, count - done}, decisions + done);
    }
  });
}

sluice_status sluice_limiter_take_all(sluice_limiter* limiter, const sluice_take* takes, size_t count,
                                      sluice_decision* decision) {
  const auto arguments = Arguments().not_null(limiter, "limiter").takes(takes, count).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(*limiter->limiter.take_all(Takes(takes, count))); });
}

sluice_status sluice_limiter_peek(sluice_limiter* limiter, sluice_key key, double cost, sluice_decision* decision) {
  const auto arguments = Arguments().not_null(limiter, "limiter").key(key).cost(cost).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(limiter->limiter.peek(view(key), tokens(cost))); });
}

sluice_status sluice_limiter_peek_all(sluice_limiter* limiter, const sluice_take* takes, size_t count,
                                      sluice_decision* decision) {
  const auto arguments = Arguments().not_null(limiter, "limiter").takes(takes, count).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(*limiter->limiter.peek_all(Takes(takes, count))); });
}

sluice_status sluice_limiter_refund(sluice_limiter* limiter, sluice_key key, double cost) {
  const auto arguments = Arguments().not_null(limiter, "limiter").key(key).cost(cost);
  return checked(arguments, [&] { limiter->limiter.refund(view(key), tokens(cost)); });
}

sluice_status sluice_limiter_refund_all(sluice_limiter* limiter, const sluice_take* takes, size_t count) {
  const auto arguments = Arguments().not_null(limiter, "limiter").takes(takes, count);
  return checked(arguments, [&] { limiter->limiter.refund_all(Takes(takes, count)); });
}

sluice_status sluice_limiter_reset(sluice_limiter* limiter, sluice_key key) {
  const auto arguments = Arguments().not_null(limiter, "limiter").key(key);
  return checked(arguments, [&] { limiter->limiter.reset(view(key)); });
}

sluice_status sluice_limiter_wait_until(sluice_limiter* limiter, sluice_key key, double cost, int64_t* instant_ns) {
  const auto arguments =
      Arguments().not_null(limiter, "limiter").key(key).cost(cost).not_null(instant_ns, "instant_ns");
  return checked(arguments, [&] { *instant_ns = limiter->limiter.wait_until(view(key), tokens(cost)).ns; });
}

sluice_status sluice_limiter_time_to_full(sluice_limiter* limiter, sluice_key key, int64_t* duration_ns) {
  const auto arguments = Arguments().not_null(limiter, "limiter").key(key).not_null(duration_ns, "duration_ns");
  return checked(arguments, [&] { *duration_ns = limiter->limiter.time_to_full(view(key)).ns; });
}

sluice_status sluice_limiter_now(sluice_limiter* limiter, int64_t* instant_ns) {
  const auto arguments = Arguments().not_null(limiter, "limiter").not_null(instant_ns, "instant_ns");
  return checked(arguments, [&] { *instant_ns = limiter->limiter.clock().now().ns; });
}

sluice_status sluice_limiter_stats(const sluice_limiter* limiter, sluice_stats* stats) {
  const auto arguments = Arguments().not_null(limiter, "limiter").not_null(stats, "stats");
  return checked(arguments, [&] {
    const Limiter::Stats found = limiter->limiter.stats();
    *stats = {found.keys, found.bytes, found.reclaimed, found.shared};
  });
}
