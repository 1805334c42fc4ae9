// For tests: leases in front of a remote store, on a clock that stands still until it is moved.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "stores/shortcuts/leases.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {

inline constexpr stores::LeaseTerms kTen{stores::LeaseTerms::Kind::kFixed, Tokens::whole(10), Duration::millis(400)};
inline constexpr stores::LeaseTerms kAuto{stores::LeaseTerms::Kind::kAuto, {}, {}};
inline constexpr stores::LeaseTerms kOff{};

class LeasesTest : public ::testing::Test {
 protected:
  LeasesTest() { remote_.is_prompt = true; }

  Take take(const char* key, int64_t cost = 1) const { return {key, &slow_, Tokens::whole(cost)}; }
  int64_t there(const char* key) { return memory_->peek({{take(key)}}, clock_.now()).remaining.floor(); }
  // Whether a take is admitted without a question.
  bool spends(const Take& take, const stores::LeaseTerms& terms = kTen) {
    const size_t before = remote_.asked;
    return Question(take, terms).to(leases_).is_admitted() && remote_.asked == before;
  }
  static int64_t whole(const telemetry::Counter& count) { return static_cast<int64_t>(count.value() / 1'000'000); }

  // A token in 1000 seconds: nearly nothing comes back while a test runs.
  const Limit slow_ = *Limit::token_bucket(0.001, 100);
  ManualClock clock_{Instant(1'000'000'000)};
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
  RemoteStore remote_{*memory_, clock_, given_};
  Leases leases_{remote_, clock_, {1024, 8, Duration::millis(500)}};
};

}  // namespace sluice::shortcuts
