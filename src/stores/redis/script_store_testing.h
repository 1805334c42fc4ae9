// The script behind the port of stores, at the time that each ask brings: a store that waits for Redis, for tests.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "stores/redis/bucket_name.h"
#include "stores/redis/question.h"
#include "stores/redis/redis_server_testing.h"
#include "stores/redis/script_testing.h"
#include "stores/store.h"

namespace sluice {

inline int64_t ceil_micros_of(Duration d) { return d.ns / 1000 + (d.ns % 1000 > 0); }

namespace stores {

inline void PrintTo(const BucketResult& result, std::ostream* out) {
  const Decision& decision = result.decision;
  *out << "verdict " << static_cast<int>(decision.verdict) << " remaining " << decision.remaining.micros()
       << " retry_after " << ceil_micros_of(decision.retry_after) << " delay " << ceil_micros_of(decision.delay)
       << " reset_after " << ceil_micros_of(result.reset_after);
}

}  // namespace stores

namespace redis_store {

// One bucket, asked alone.
inline stores::BucketResult ask_one(stores::Store& store, stores::Action action, const Take& take, Instant now) {
  stores::BucketResult result;
  stores::Ask ask;
  ask.action = action;
  ask.takes = {&take, 1};
  ask.together = 1;
  ask.now = now;
  ask.results = {&result, 1};
  EXPECT_EQ(store.ask(ask), stores::Progress::kAnswered);
  return result;
}

// What both said to the microsecond: waits are rounded up.
inline bool is_same(const stores::BucketResult& a, const stores::BucketResult& b) {
  return a.decision.verdict == b.decision.verdict && a.decision.remaining == b.decision.remaining &&
         ceil_micros_of(a.decision.retry_after) == ceil_micros_of(b.decision.retry_after) &&
         ceil_micros_of(a.decision.delay) == ceil_micros_of(b.decision.delay) &&
         ceil_micros_of(a.reset_after) == ceil_micros_of(b.reset_after);
}

class ScriptStore final : public stores::Store {
 public:
  // Buckets expire that much later than the script says, since time here is not that of Redis.
  static constexpr int64_t kLaterMs = 100'000'000'000'000;
  static constexpr std::string_view kPrefix = "test";

  explicit ScriptStore(RedisServer& redis) : redis_(redis) {
    redis_.command({"FLUSHALL"});
    EXPECT_EQ(redis_.command({"SCRIPT", "LOAD", script_at_given_time_text()}).text, script_at_given_time_sha1());
  }

  stores::Progress ask(stores::Ask& ask) override {
    if (!question_.add(ask)) return stores::Progress::kUnavailable;
    return ask_all(ask.now) ? stores::Progress::kAnswered : stores::Progress::kUnavailable;
  }

  Question& question() { return question_; }
  // Asks what was collected, in one call. Nobody is told of refunds and resets without a channel.
  bool ask_all(Instant now, std::string_view channel = "") {
    const std::string keys = std::to_string(question_.names().size());
    const std::string time = std::to_string(now.ns / 1000);
    const std::string later = std::to_string(kLaterMs);
    std::vector<std::string_view> words{"EVALSHA", script_at_given_time_sha1(), keys};
    words.insert(words.end(), question_.names().begin(), question_.names().end());
    words.insert(words.end(), {question_.program(), channel, time, later});
    const RedisReply reply = redis_.command(words);
    EXPECT_FALSE(reply.is_error()) << reply.text;
    const bool is_answered = !reply.is_error() && question_.answer(reply.text);
    EXPECT_TRUE(is_answered);
    question_.clear();
    return is_answered;
  }

  // When Redis forgets the bucket, in milliseconds of the time of the asks; -2 when there is none.
  int64_t expires_at_ms(std::string_view key, uint32_t part = 0) {
    const long long at = redis_.command({"PEXPIRETIME", name_of(key, part)}).integer;
    return at < 0 ? at : at - kLaterMs;
  }
  // As Redis does then.
  void forget(std::string_view key) { redis_.command({"DEL", name_of(key, 0)}); }

 private:
  static std::string name_of(std::string_view key, uint32_t part) {
    std::string name;
    append_bucket_name(name, kPrefix, key, part);
    return name;
  }

  RedisServer& redis_;
  Question question_{kPrefix};
};

}  // namespace redis_store
}  // namespace sluice
