// What a decision costs Redis: processor time as Redis counts it, beside the usual script that is called for each one.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "stores/redis/question.h"
#include "stores/redis/redis_server_testing.h"
#include "stores/redis/script.h"
#include "stores/store.h"

namespace sluice::redis_store {
namespace {

// A token bucket as pages on the subject show it: a hash, read, refilled, written, with an expiry.
constexpr std::string_view kUsualScript = R"(
local rate, capacity, now, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(state[1]) or capacity, tonumber(state[2]) or now
tokens = math.min(capacity, tokens + math.max(0, now - at) / 1000 * rate)
local allowed, retry_after = 0, 0
if tokens >= cost then
  tokens, allowed = tokens - cost, 1
else
  retry_after = math.ceil((cost - tokens) / rate * 1000)
end
redis.call('HMSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], 60000)
return {allowed, tokens, retry_after}
)";

constexpr size_t kKeys = 2048;
constexpr size_t kRound = 4096;

class Cost : public testing::Test {
 protected:
  Cost() {
    redis_.command({"FLUSHALL"});
    redis_.command({"SCRIPT", "LOAD", script_text()});
    usual_ = redis_.command({"SCRIPT", "LOAD", kUsualScript}).text;
    for (size_t i = 0; i < kKeys; ++i) keys_.push_back("demo|per-user|" + std::to_string(i));
  }

  // Microseconds of Redis for each of a round of decisions, of which `decide` makes some from a key on.
  template <class Decide>
  double cost_of(size_t at_a_time, const Decide& decide) {
    const double before = redis_.cpu_seconds();
    for (size_t i = 0; i < kRound; i += at_a_time) decide(i % kKeys, at_a_time);
    return (redis_.cpu_seconds() - before) / kRound * 1e6;
  }

  // As many calls in one write.
  void call_usual_script(size_t first, size_t count) {
    for (size_t i = first; i < first + count; ++i) {
      redis_.client().send({"EVALSHA", usual_, "1", keys_[i], "0.1", "2000", "1700000000000", "1"});
    }
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(redis_.client().receive().elements.size(), 3u);
  }

  // As many asks in one call.
  void ask(size_t first, size_t count) {
    std::vector<Take> takes;
    for (size_t i = first; i < first + count; ++i) takes.push_back({keys_[i], &limit_});
    std::vector<stores::BucketResult> results(count);
    std::vector<stores::Ask> asks(count);
    for (size_t i = 0; i < count; ++i) {
      asks[i].takes = {&takes[i], 1};
      asks[i].together = 1;
      asks[i].results = {&results[i], 1};
      ASSERT_TRUE(question_.add(asks[i]));
    }
    const std::string keys = std::to_string(question_.names().size());
    std::vector<std::string_view> words{"EVALSHA", script_sha1(), keys};
    words.insert(words.end(), question_.names().begin(), question_.names().end());
    words.insert(words.end(), {question_.program(), ""});
    ASSERT_TRUE(question_.answer(redis_.command(words).text));
    question_.clear();
  }

  RedisServer redis_;
  std::string usual_;
  std::vector<std::string> keys_;
  const Limit limit_ = *Limit::token_bucket(0.1, 2000);
  Question question_{"sluice"};
};

TEST_F(Cost, OfADecisionInABatchIsAtMostTwoThirdsOfThatOfTheUsualScript) {
  double usual = 1e9, of_64 = 1e9, of_32 = 1e9, alone = 1e9;
  const auto least = [](double& least_so_far, double cost) { least_so_far = std::min(least_so_far, cost); };
  const auto by_usual = [&](size_t first, size_t count) { call_usual_script(first, count); };
  const auto by_ours = [&](size_t first, size_t count) { ask(first, count); };
  for (int round = 0; round < 5; ++round) {
    least(usual, cost_of(64, by_usual));
    least(of_64, cost_of(64, by_ours));
    least(of_32, cost_of(32, by_ours));
    least(alone, cost_of(1, by_ours));
  }
  std::cout << "microseconds of Redis for a decision: " << of_64 << " of 64, " << of_32 << " of 32, " << alone
            << " alone; by the usual script, 64 in a pipeline, " << usual << "\n";
  EXPECT_LE(of_64 * 1.5, usual);
  EXPECT_LE(of_32 * 1.5, usual);
}

}  // namespace
}  // namespace sluice::redis_store
