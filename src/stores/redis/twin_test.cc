// The script and the memory store, asked the same: every answer is the same, whatever came before.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <sstream>

#include "stores/memory/memory_store.h"
#include "stores/redis/random_asks_testing.h"
#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;
using stores::Ask;
using stores::BucketResult;

std::string text_of(const Take& take) {
  std::ostringstream out;
  const Limit& limit = *take.limit;
  out << take.key << "/" << take.part << " cost " << take.cost.micros() << " under " << name_of(limit.algorithm())
      << " of " << limit.capacity().micros() << " at " << limit.rate().numerator() << "/" << limit.rate().denominator()
      << " in " << limit.window().ns / 1000 << " us";
  return out.str();
}

// Two stores that are asked the same.
class Twins {
 public:
  explicit Twins(RedisServer& redis) : script_(redis) {}

  // Some requests at one time; then both must have said the same. Returns how many takes.
  size_t step(RandomAsks& random) {
    const Instant now = random.next_time();
    pairs_.clear();
    size_t takes = 0;
    for (size_t i = random.next_count(); i > 0; --i) takes += add(random.next(), now);
    if (!script_.ask_all(now)) return 0;
    for (Pair& pair : pairs_) {
      memory_->ask(pair.in_memory);
      if (pair.request.action == Action::kTake || pair.request.action == Action::kPeek) compare(pair, now);
    }
    return takes;
  }

 private:
  struct Pair {
    RandomAsks::Request request;
    std::vector<BucketResult> of_script, of_memory;
    Ask in_script, in_memory;
  };

  size_t add(RandomAsks::Request request, Instant now) {
    Pair& pair = pairs_.emplace_back();
    pair.request = std::move(request);
    pair.of_script.resize(pair.request.takes.size());
    pair.of_memory.resize(pair.request.takes.size());
    pair.in_script.action = pair.request.action;
    pair.in_script.takes = pair.request.takes;
    pair.in_script.together = pair.request.together;
    pair.in_script.now = now;
    pair.in_memory = pair.in_script;
    pair.in_script.results = pair.of_script;
    pair.in_memory.results = pair.of_memory;
    EXPECT_TRUE(script_.question().add(pair.in_script));
    return pair.request.takes.size();
  }

  static void compare(const Pair& pair, Instant now) {
    for (size_t i = 0; i < pair.request.takes.size(); ++i) {
      if (is_same(pair.of_script[i], pair.of_memory[i])) continue;
      FAIL() << testing::PrintToString(pair.of_script[i]) << " in Redis, but "
             << testing::PrintToString(pair.of_memory[i]) << " in memory, "
             << "at " << now.ns / 1000 << " us, take " << i << " of " << pair.request.takes.size() << ", "
             << pair.request.together << " together, action " << static_cast<int>(pair.request.action) << ": "
             << text_of(pair.request.takes[i]);
    }
  }

  ScriptStore script_;
  std::unique_ptr<memory::MemoryStore> memory_ = std::move(*memory::MemoryStore::create({8 << 20, false}));
  std::deque<Pair> pairs_;
};

// SLUICE_TWIN_STEPS=1000000 is the long form.
size_t steps_wanted() {
  const char* wanted = std::getenv("SLUICE_TWIN_STEPS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 200'000;
}

TEST(RedisScript, IsTheTwinOfTheMemoryStore) {
  constexpr size_t kStepsOfALife = 5'000;
  size_t steps = 0;
  for (uint64_t seed = 1; steps < steps_wanted(); ++seed) {
    Twins twins(shared_redis());
    RandomAsks random(seed);
    for (size_t lived = 0; lived < kStepsOfALife;) {
      lived += twins.step(random);
      if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "seed " << seed << ", after " << lived << " takes";
    }
    steps += kStepsOfALife;
  }
}

}  // namespace
}  // namespace sluice::redis_store
