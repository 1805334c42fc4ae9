// What it costs to tell a caller: the header fields of a request that is allowed, and of one that is rejected.
#include <benchmark/benchmark.h>

#include <array>

#include "doors/headers.h"

namespace sluice::bench {
namespace {

using limiter::Answer;
using limiter::BucketAnswer;

// One request under three limits: a user's, a tenant's, everybody's.
struct ThreeBuckets {
  Limit user = *Limit::token_bucket(10, 20);
  Limit tenant = *Limit::token_bucket(100.0 / 60, 1000);
  Limit everybody = *Limit::token_bucket(50'000, 100'000);
  std::array<BucketAnswer, 3> buckets = {{
      {.policy = "public-api",
       .rule = "free",
       .key = "user:000000007",
       .limit = &user,
       .cost = kOneToken,
       .remaining = Tokens::micros(7'250'000),
       .retry_after = Duration(),
       .reset_after = Duration::millis(1275)},
      {.policy = "public-api",
       .rule = "tenant",
       .key = "tenant:acme",
       .limit = &tenant,
       .cost = kOneToken,
       .remaining = Tokens::whole(812),
       .retry_after = Duration(),
       .reset_after = Duration::millis(112'800)},
      {.policy = "public-api",
       .rule = "global",
       .key = "",
       .limit = &everybody,
       .cost = kOneToken,
       .remaining = Tokens::micros(91'234'500'000),
       .retry_after = Duration(),
       .reset_after = Duration::millis(176)},
  }};

  Answer allowed() const {
    Answer answer;
    answer.buckets = buckets;
    answer.tightest = &buckets[0];
    return answer;
  }

  Answer rejected() {
    const Duration wait = Duration::millis(75);
    buckets[0].allowed = false;
    buckets[0].remaining = Tokens::micros(250'000);
    buckets[0].retry_after = wait;
    buckets[0].reset_after = Duration::millis(1975);
    Answer answer = allowed();
    answer.allowed = false;
    answer.reason = limiter::Reason::kExceeded;
    answer.policy = "public-api";
    answer.rule = "free";
    answer.retry_after = wait;
    return answer;
  }
};

void render(benchmark::State& state, const Answer& answer) {
  doors::HeaderFields headers;
  doors::HeaderContext context;
  for (auto _ : state) {
    benchmark::DoNotOptimize(context);
    headers.render(answer, context);
    benchmark::DoNotOptimize(headers.fields().data());
    benchmark::ClobberMemory();
  }
}

void headers_allowed(benchmark::State& state) {
  const ThreeBuckets three;
  render(state, three.allowed());
}

void headers_rejected(benchmark::State& state) {
  ThreeBuckets three;
  render(state, three.rejected());
}

BENCHMARK(headers_allowed);
BENCHMARK(headers_rejected);

}  // namespace
}  // namespace sluice::bench
