// Sluice for C, and for every language that can call C.
//
//   sluice_limiter *limiter;
//   if (sluice_limiter_create(10, 50, 0, &limiter) != SLUICE_OK) puts(sluice_last_error());  // 10 per second, 50 at
//   once sluice_decision decision; sluice_limiter_take(limiter, sluice_key_of("user:42"), 1, &decision); if
//   (decision.verdict == SLUICE_LIMITED) printf("come back in %lld ns\n", (long long)decision.retry_after_ns);
//
// Threads: every function may be called by any thread at any time, also on one limiter or bucket; only its destruction
// must be the last call on it. Nothing sleeps.
// Ownership: what a create function hands out is yours until you pass it to the destroy function of its type;
// destroying NULL does nothing. Nothing else is kept beyond the call: keys, limits and structs are read, or copied.
// Failure: a function that refuses its arguments has done nothing, and has left its last argument alone, except that a
// create function sets it to NULL. A rejected request is no failure: it is a decision.
// NULL where something must be, numbers that are not finite or out of range: each is an error, never a crash.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sluice/export.h"

// NOLINTBEGIN(readability-identifier-naming, modernize-use-using, modernize-redundant-void-arg): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// -- Errors -----------------------------------------------------------------------------------------------------------

typedef int32_t sluice_status;
enum {
  SLUICE_OK = 0,
  SLUICE_NULL_ARGUMENT = 1,
  SLUICE_NOT_FINITE = 2,      // nan or infinity
  SLUICE_NOT_POSITIVE = 3,    // zero or less
  SLUICE_TOO_SMALL = 4,       // positive, but finer than the arithmetic resolves, or less than is needed
  SLUICE_TOO_LARGE = 5,       // beyond the range in which the arithmetic is exact
  SLUICE_TOO_MANY = 6,        // more items than one call may carry
  SLUICE_OUT_OF_MEMORY = 7,   // a take that fails for this reason may have taken its tokens
  SLUICE_WRONG_ALGORITHM = 8  // a sluice_bucket cannot be a window
};

// One sentence for people on any status. Lives as long as the process, and is never NULL.
SLUICE_EXPORT const char *sluice_error_message(sluice_status status);
// What the latest failure in this thread was about: the argument, and what would be right. "" if there was none.
// Valid until the next call of this function in the same thread.
SLUICE_EXPORT const char *sluice_last_error(void);
// The version of the library, e.g. "1.2.3". Lives as long as the process.
SLUICE_EXPORT const char *sluice_version(void);

// -- Decisions --------------------------------------------------------------------------------------------------------

enum {
  SLUICE_ALLOWED = 0,
  SLUICE_LIMITED = 1,               // not now; retry_after_ns says when
  SLUICE_COST_EXCEEDS_CAPACITY = 2  // never: the cost is larger than the bucket
};
// The longest wait there is, and the wait for what can never pass.
#define SLUICE_FOREVER_NS INT64_C(9000000000000000000)

typedef struct sluice_decision {
  uint32_t verdict;
  uint32_t bucket;           // when several were asked: the one this decision speaks of
  int64_t remaining_micros;  // millionths of a token left after the take; when rejected, those there now
  int64_t remaining;         // the same in whole tokens, rounded down
  int64_t retry_after_ns;    // until the same request passes, if nobody else comes first; 0 when allowed
  int64_t delay_ns;          // leaky queue only: how long to hold an admitted request
} sluice_decision;

// -- Limits -----------------------------------------------------------------------------------------------------------

// How many tokens a bucket holds, how fast they come back, and by which algorithm. Immutable.
typedef struct sluice_limit sluice_limit;

// Rates are tokens per second, from 1e-9 to 1e9; 5.0 / 86400 means five a day, exactly. Capacities are tokens, from
// 1e-6 to 1e9; windows last from a millisecond to 100 years.
SLUICE_EXPORT sluice_status sluice_limit_token_bucket(double rate, double capacity, sluice_limit **limit);
SLUICE_EXPORT sluice_status sluice_limit_leaky_bucket(double rate, double capacity, sluice_limit **limit);
SLUICE_EXPORT sluice_status sluice_limit_leaky_queue(double rate, double capacity, sluice_limit **limit);
SLUICE_EXPORT sluice_status sluice_limit_fixed_window(double capacity, int64_t window_ns, sluice_limit **limit);
SLUICE_EXPORT sluice_status sluice_limit_sliding_window_log(double capacity, int64_t window_ns, sluice_limit **limit);
SLUICE_EXPORT sluice_status sluice_limit_sliding_window_counter(double capacity, int64_t window_ns,
                                                                sluice_limit **limit);
SLUICE_EXPORT void sluice_limit_destroy(sluice_limit *limit);

// -- Clocks -----------------------------------------------------------------------------------------------------------

// A clock of your own, for tests and simulations: nanoseconds since any origin, read with each call. The function is
// called from every thread that uses what was created with it, and must not throw; the context must live as long.
typedef struct sluice_clock {
  int64_t (*now_ns)(void *context);
  void *context;
} sluice_clock;

// -- Many buckets, by key ---------------------------------------------------------------------------------------------

typedef struct sluice_limiter sluice_limiter;

// Any bytes. The data must not be NULL, even where the length is 0.
typedef struct sluice_key {
  const char *data;
  size_t length;
} sluice_key;

// A key that ends with a zero byte. Of NULL it makes a key that every function refuses.
static inline sluice_key sluice_key_of(const char *text) {
  sluice_key key;
  key.data = text;
  key.length = text ? strlen(text) : 0;
  return key;
}

// One request of a batch. A cost is a positive number of tokens, rounded up to a millionth, at most 1e12.
typedef struct sluice_request {
  sluice_key key;
  double cost;
} sluice_request;

// One bucket of a request that asks several. `part` tells several buckets of one key apart, e.g. 10/s and 1000/h.
typedef struct sluice_take {
  sluice_key key;
  const sluice_limit *limit;
  double cost;
  uint32_t part;
} sluice_take;

typedef struct sluice_options {
  uint64_t max_bytes;         // for all buckets together, at least 1 MiB; 0 for 256 MiB
  const sluice_clock *clock;  // copied; NULL for the system's monotonic clock
} sluice_options;

typedef struct sluice_stats {
  uint64_t keys;       // buckets remembered, full ones not yet reclaimed among them
  uint64_t bytes;      // memory they take
  uint64_t reclaimed;  // buckets that were full and made room
  uint64_t shared;     // requests admitted from shared buckets, for want of room
} sluice_stats;

// How many limits a key may have, and how many takes a request.
#define SLUICE_MAX_TAKES 32

// Every key gets a token bucket of `burst` tokens, refilled at `rate` tokens per second. For max_bytes see above.
SLUICE_EXPORT sluice_status sluice_limiter_create(double rate, double burst, uint64_t max_bytes,
                                                  sluice_limiter **limiter);
// Every key gets these limits: a request must pass them all, and takes from all or from none. They are copied.
// NULL options are those of zero bytes.
SLUICE_EXPORT sluice_status sluice_limiter_create_with(const sluice_limit *const *limits, size_t count,
                                                       const sluice_options *options, sluice_limiter **limiter);
SLUICE_EXPORT void sluice_limiter_destroy(sluice_limiter *limiter);

// Takes `cost` tokens from the key's bucket, or from none of its buckets if one has too few.
SLUICE_EXPORT sluice_status sluice_limiter_take(sluice_limiter *limiter, sluice_key key, double cost,
                                                sluice_decision *decision);
// Many requests, each by itself, in order; `decisions` has room for `count`. Faster than one by one, most of all when
// neighbours have the same cost. If one request is bad, nothing is taken for any.
SLUICE_EXPORT sluice_status sluice_limiter_take_each(sluice_limiter *limiter, const sluice_request *requests,
                                                     size_t count, sluice_decision *decisions);
// One request over several buckets, each with a key and limit of its own (user, tenant, everybody): all or nothing.
SLUICE_EXPORT sluice_status sluice_limiter_take_all(sluice_limiter *limiter, const sluice_take *takes, size_t count,
                                                    sluice_decision *decision);

// What a take would decide now, with nothing taken: `remaining` is what is there.
SLUICE_EXPORT sluice_status sluice_limiter_peek(sluice_limiter *limiter, sluice_key key, double cost,
                                                sluice_decision *decision);
SLUICE_EXPORT sluice_status sluice_limiter_peek_all(sluice_limiter *limiter, const sluice_take *takes, size_t count,
                                                    sluice_decision *decision);
// Gives back what was taken but not used; a bucket never holds more than its capacity.
SLUICE_EXPORT sluice_status sluice_limiter_refund(sluice_limiter *limiter, sluice_key key, double cost);
SLUICE_EXPORT sluice_status sluice_limiter_refund_all(sluice_limiter *limiter, const sluice_take *takes, size_t count);
// Makes the key's buckets full.
SLUICE_EXPORT sluice_status sluice_limiter_reset(sluice_limiter *limiter, sluice_key key);

// The instant, on the limiter's clock, from which a take will pass if nobody else comes first. INT64_MAX for never.
SLUICE_EXPORT sluice_status sluice_limiter_wait_until(sluice_limiter *limiter, sluice_key key, double cost,
                                                      int64_t *instant_ns);
// Until nothing is missing from the key's buckets.
SLUICE_EXPORT sluice_status sluice_limiter_time_to_full(sluice_limiter *limiter, sluice_key key, int64_t *duration_ns);
// What the limiter's clock reads.
SLUICE_EXPORT sluice_status sluice_limiter_now(sluice_limiter *limiter, int64_t *instant_ns);
SLUICE_EXPORT sluice_status sluice_limiter_stats(const sluice_limiter *limiter, sluice_stats *stats);

// -- One bucket -------------------------------------------------------------------------------------------------------

// For one thing to protect. Starts full.
typedef struct sluice_bucket sluice_bucket;

SLUICE_EXPORT sluice_status sluice_bucket_create(double rate, double burst, sluice_bucket **bucket);
// The limit is copied; its algorithm is the token bucket or one of the leaky ones. NULL clock: the system's.
SLUICE_EXPORT sluice_status sluice_bucket_create_with(const sluice_limit *limit, const sluice_clock *clock,
                                                      sluice_bucket **bucket);
SLUICE_EXPORT void sluice_bucket_destroy(sluice_bucket *bucket);

// As the functions of the same names above.
SLUICE_EXPORT sluice_status sluice_bucket_take(sluice_bucket *bucket, double cost, sluice_decision *decision);
SLUICE_EXPORT sluice_status sluice_bucket_peek(sluice_bucket *bucket, double cost, sluice_decision *decision);
SLUICE_EXPORT sluice_status sluice_bucket_refund(sluice_bucket *bucket, double cost);
SLUICE_EXPORT sluice_status sluice_bucket_wait_until(sluice_bucket *bucket, double cost, int64_t *instant_ns);
SLUICE_EXPORT sluice_status sluice_bucket_time_to_full(sluice_bucket *bucket, int64_t *duration_ns);
SLUICE_EXPORT sluice_status sluice_bucket_now(sluice_bucket *bucket, int64_t *instant_ns);
// Keeps what was spent, also where that is more than the new capacity. The limit is copied.
SLUICE_EXPORT sluice_status sluice_bucket_change_limit(sluice_bucket *bucket, const sluice_limit *limit);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming, modernize-use-using, modernize-redundant-void-arg)
