// The script as a home: every scenario file is decided in Redis as everywhere else (law 9).
#include <gtest/gtest.h>

#include "scenario/discover.h"
#include "scenario/library_homes.h"
#include "scenario/parser.h"
#include "scenario/replay.h"
#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;

class ScriptHome final : public scenario::Home {
 public:
  explicit ScriptHome(RedisServer& redis) : store_(redis) {}

  scenario::Answer take(std::span<const scenario::Take> takes, Instant now) override {
    return ask(Action::kTake, takes, now);
  }
  scenario::Answer peek(std::span<const scenario::Take> takes, Instant now) override {
    return ask(Action::kPeek, takes, now);
  }
  void refund(std::span<const scenario::Take> takes, Instant now) override { ask(Action::kRefund, takes, now); }
  scenario::Precision precision() const override { return {Tokens::micros(1), Duration::micros(1)}; }

 private:
  scenario::Answer ask(Action action, std::span<const scenario::Take> takes, Instant now) {
    const scenario::Request request(takes);
    std::vector<stores::BucketResult> results(takes.size());
    stores::Ask asked;
    asked.action = action;
    asked.takes = request.takes();
    asked.together = takes.size();
    asked.now = now;
    asked.results = results;
    if (store_.ask(asked) != stores::Progress::kAnswered) std::abort();
    uint32_t named = 0;
    Duration delay;
    for (uint32_t i = 0; i < results.size(); ++i) {
      if (stores::names_before(results[i].decision, results[named].decision)) named = i;
      delay = std::max(delay, results[i].decision.delay);
    }
    scenario::Answer answer{results[named].decision, results[named].reset_after};
    answer.decision.bucket = named;
    answer.decision.delay = answer.decision.allowed() ? delay : Duration();
    return answer;
  }

  ScriptStore store_;
};

TEST(RedisScript, DecidesEveryScenarioAsExpected) {
  const std::vector<std::string> files = scenario::scenario_files();
  ASSERT_GT(files.size(), 50u);
  for (const std::string& file : files) {
    ScriptHome home(shared_redis());
    for (const scenario::Mismatch& mismatch : replay(scenario::load_scenario(file), home)) {
      ADD_FAILURE() << describe(mismatch, file, "Redis");
    }
  }
}

}  // namespace
}  // namespace sluice::redis_store
