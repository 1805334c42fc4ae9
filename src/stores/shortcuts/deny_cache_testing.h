// For tests: a deny cache in front of a remote store, on a clock that stands still until it is moved.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "stores/shortcuts/deny_cache.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {

class DenyCacheTest : public ::testing::Test {
 protected:
  DenyCacheTest() { remote_.is_prompt = true; }

  Take take(const char* key, int64_t cost = 1) const { return {key, &slow_, Tokens::whole(cost)}; }
  // Leaves the bucket empty.
  void drain(const char* key) { memory_->take(take(key, 10), clock_.now()); }
  // Whether a take is rejected without a question.
  bool knows(const Take& take) {
    const size_t before = remote_.asked;
    Question question(take);
    question.to(cache_);
    EXPECT_TRUE(question.is_answered());
    return question.is_rejected() && remote_.asked == before;
  }

  const Limit slow_ = *Limit::token_bucket(1, 10);  // A token a second.
  ManualClock clock_{Instant(1'000'000'000)};
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  RemoteStore remote_{*memory_, clock_};
  DenyCache cache_{remote_, clock_, {64, 8, Duration::millis(50)}};
};

}  // namespace sluice::shortcuts
