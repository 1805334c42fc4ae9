// Law 6 against the exact model: requests over several buckets, in any order, at any times.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/token_bucket.h"
#include "properties/against_model.h"
#include "properties/limits.h"
#include "stores/memory/memory_store.h"

namespace sluice::memory {
namespace {

using properties::any_capacity;
using properties::any_rate;
using properties::between;

struct Held {
  std::string key;
  Limit limit;
  model::TokenBucket model;
};

std::vector<Held> any_buckets() {
  std::vector<Held> buckets;
  for (int64_t i = *between(1, 8); i > 0; --i) {
    const Limit limit = *Limit::token_bucket(*any_rate(), *any_capacity());
    buckets.push_back({"bucket " + std::to_string(i), limit, model::TokenBucket(limit)});
  }
  return buckets;
}

// Some of the buckets, each once, with costs that now and then are too large or impossible.
std::vector<size_t> any_choice(size_t count) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < count; ++i) {
    if (*between(0, 2) > 0) chosen.push_back(i);
  }
  if (*between(0, 1) == 0) std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

Tokens any_cost(const Limit& limit) {
  const int64_t capacity = limit.capacity().micros();
  return Tokens::micros(*between(1, *between(0, 20) == 0 ? capacity + 1'000'000 : std::max<int64_t>(1, capacity / 3)));
}

RC_GTEST_PROP(Law6, ARequestPassesIfEveryModelPassesAndElseNoneOfThemPays, ()) {
  auto store = std::move(*MemoryStore::create({uint64_t{1} << 20}));
  std::vector<Held> buckets = any_buckets();
  Instant now(*between(0, int64_t{1} << 60));
  for (int step = 0; step < 40; ++step) {
    now = now + Duration(*between(0, int64_t{1} << *between(0, 45)));
    const std::vector<size_t> chosen = any_choice(buckets.size());
    std::vector<Take> takes;
    std::vector<model::Answer> answers;
    for (const size_t i : chosen) {
      takes.push_back({buckets[i].key, &buckets[i].limit, any_cost(buckets[i].limit)});
      answers.push_back(buckets[i].model.answer(takes.back().cost, now));
    }
    const bool all_pass = std::all_of(answers.begin(), answers.end(),
                                      [](const model::Answer& a) { return a.verdict == Verdict::kAllowed; });
    const Decision decision = store->take_all(takes, now);
    RC_ASSERT(decision.allowed() == all_pass);
    if (takes.empty()) continue;
    const model::Answer& named = answers[decision.bucket];
    RC_ASSERT(decision.verdict == named.verdict);
    RC_ASSERT(decision.remaining == named.remaining);
    properties::expect_same(decision.retry_after, named.retry_after);
    // The longest wait names the rejection, and an impossible cost comes before any wait.
    for (const model::Answer& answer : answers) {
      RC_ASSERT(answer.verdict <= named.verdict);
      if (answer.verdict == named.verdict) RC_ASSERT(answer.retry_after <= decision.retry_after);
    }
    for (size_t i = 0; all_pass && i < takes.size(); ++i) buckets[chosen[i]].model.take(takes[i].cost, now);
  }
}

}  // namespace
}  // namespace sluice::memory
