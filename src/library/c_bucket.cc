// The C interface to a single bucket.
#include <new>

#include "library/c_types.h"

using sluice::Limit;
using sluice::c::Arguments;
using sluice::c::checked;
using sluice::c::fail;
using sluice::c::guarded;
using sluice::c::to_c;
using sluice::c::tokens;

namespace {

sluice_status hand_out(const Limit& limit, const sluice_clock* clock, sluice_bucket** bucket) {
  std::unique_ptr<sluice::c::ForeignClock> own;
  if (const sluice_status status = sluice::c::make_clock(clock, own); status != SLUICE_OK) return status;
  sluice::Clock& used = own != nullptr ? static_cast<sluice::Clock&>(*own) : sluice::system_clock();
  *bucket = new (std::nothrow) sluice_bucket{std::move(own), sluice::TokenBucket(limit, used)};
  return *bucket == nullptr ? fail(SLUICE_OUT_OF_MEMORY, "bucket") : SLUICE_OK;
}

}  // namespace

sluice_status sluice_bucket_create(double rate, double burst, sluice_bucket** bucket) {
  if (bucket == nullptr) return fail(SLUICE_NULL_ARGUMENT, "bucket");
  *bucket = nullptr;
  return guarded([&] {
    const auto limit = Limit::token_bucket(rate, burst);
    return limit ? hand_out(*limit, nullptr, bucket) : fail(limit.error());
  });
}

sluice_status sluice_bucket_create_with(const sluice_limit* limit, const sluice_clock* clock, sluice_bucket** bucket) {
  if (bucket == nullptr) return fail(SLUICE_NULL_ARGUMENT, "bucket");
  *bucket = nullptr;
  if (limit == nullptr) return fail(SLUICE_NULL_ARGUMENT, "limit");
  if (!is_bucket(limit->limit.algorithm())) return fail(SLUICE_WRONG_ALGORITHM, "limit");
  return guarded([&] { return hand_out(limit->limit, clock, bucket); });
}

void sluice_bucket_destroy(sluice_bucket* bucket) { delete bucket; }

sluice_status sluice_bucket_take(sluice_bucket* bucket, double cost, sluice_decision* decision) {
  const auto arguments = Arguments().not_null(bucket, "bucket").cost(cost).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(bucket->bucket.take(tokens(cost))); });
}

sluice_status sluice_bucket_peek(sluice_bucket* bucket, double cost, sluice_decision* decision) {
  const auto arguments = Arguments().not_null(bucket, "bucket").cost(cost).not_null(decision, "decision");
  return checked(arguments, [&] { *decision = to_c(bucket->bucket.peek(tokens(cost))); });
}

sluice_status sluice_bucket_refund(sluice_bucket* bucket, double cost) {
  const auto arguments = Arguments().not_null(bucket, "bucket").cost(cost);
  return checked(arguments, [&] { bucket->bucket.refund(tokens(cost)); });
}

sluice_status sluice_bucket_wait_until(sluice_bucket* bucket, double cost, int64_t* instant_ns) {
  const auto arguments = Arguments().not_null(bucket, "bucket").cost(cost).not_null(instant_ns, "instant_ns");
  return checked(arguments, [&] { *instant_ns = bucket->bucket.wait_until(tokens(cost)).ns; });
}

sluice_status sluice_bucket_time_to_full(sluice_bucket* bucket, int64_t* duration_ns) {
  const auto arguments = Arguments().not_null(bucket, "bucket").not_null(duration_ns, "duration_ns");
  return checked(arguments, [&] { *duration_ns = bucket->bucket.time_to_full().ns; });
}

sluice_status sluice_bucket_now(sluice_bucket* bucket, int64_t* instant_ns) {
  const auto arguments = Arguments().not_null(bucket, "bucket").not_null(instant_ns, "instant_ns");
  return checked(arguments, [&] { *instant_ns = bucket->bucket.clock().now().ns; });
}

sluice_status sluice_bucket_change_limit(sluice_bucket* bucket, const sluice_limit* limit) {
  const auto arguments = Arguments().not_null(bucket, "bucket").not_null(limit, "limit");
  if (arguments.ok() && !is_bucket(limit->limit.algorithm())) return fail(SLUICE_WRONG_ALGORITHM, "limit");
  return checked(arguments, [&] { bucket->bucket.change_limit(limit->limit); });
}
