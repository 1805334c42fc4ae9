// For tests: a store on a loop with a thread of its own, and asks that remember what they were told.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "redis/client_testing.h"
#include "stores/redis/redis_store.h"

namespace sluice::redis_store {

using redis_testing::wait_until;

// So slow that nothing comes back during a test.
inline const Limit kTen = *Limit::token_bucket(*Rate::per(1, Duration::seconds(86'400)), Tokens::whole(10));

// An ask with all it points to. Made by a test's thread, asked by the loop's; for the test again once is_told.
class Asked final : public stores::Listener {
 public:
  Asked(stores::Action action, const std::vector<Take>& takes, size_t together)
      : results(takes.size()), takes_(takes), keys_(takes.size()) {
    for (size_t i = 0; i < takes.size(); ++i) takes_[i].key = keys_[i] = takes[i].key;
    ask = {action, takes_, together, Instant(), results, this};
  }
  explicit Asked(const std::vector<Take>& takes) : Asked(stores::Action::kTake, takes, takes.size()) {}

  void tell(stores::Progress its_progress) {
    progress = its_progress;
    if (when_told) when_told();
    told_at = std::chrono::steady_clock::now();
    ++times_told;
    is_told = true;
  }

  bool is_answered() const { return progress == stores::Progress::kAnswered; }
  bool was_asked(size_t i) const { return (ask.not_asked >> i & 1) == 0; }
  // Of those that must pass together.
  bool is_allowed() const {
    for (size_t i = 0; i < ask.together; ++i) {
      if (!results[i].decision.allowed()) return false;
    }
    return is_answered();
  }
  Tokens remaining(size_t i = 0) const { return results[i].decision.remaining; }
  std::chrono::milliseconds took() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(told_at - asked_at);
  }

  stores::Ask ask;
  std::vector<stores::BucketResult> results;
  stores::Progress progress = stores::Progress::kPending;
  std::function<void()> when_told;  // on the loop's thread
  std::chrono::steady_clock::time_point asked_at, told_at;
  std::atomic<bool> is_told{false};
  std::atomic<int> times_told{0};

 private:
  void on_answer(stores::Progress its_progress) override { tell(its_progress); }

  std::vector<Take> takes_;
  std::vector<std::string> keys_;
};

// One token of each of so many buckets.
inline std::deque<Asked> takes_of(size_t count, const std::string& key_prefix) {
  std::deque<Asked> all;
  for (size_t i = 0; i < count; ++i) {
    const std::string key = key_prefix + std::to_string(i);
    all.emplace_back(std::vector<Take>{{key, &kTen}});
  }
  return all;
}

class StoreOnLoop {
 public:
  explicit StoreOnLoop(const redis::Options& options, const std::string& channel = "") : client_(options) {
    const bool is_cluster = options.place.kind == redis::Kind::kCluster;
    client_.on_loop([&] {
      store_ = std::make_unique<RedisStore>(client_.loop(), client_.client(),
                                            RedisStore::Options{"test", channel, is_cluster});
    });
  }
  explicit StoreOnLoop(const std::string& url) : StoreOnLoop(patient(url)) {}
  ~StoreOnLoop() {
    close();
    client_.on_loop([&] { store_.reset(); });
  }

  // With time enough for a busy machine.
  static redis::Options patient(const std::string& url) {
    redis::Options options = redis::ClientOnLoop::patient(url);
    options.preamble.push_back(RedisStore::load_command());
    return options;
  }

  void close() {
    client_.on_loop([&] { store_->close(); });
  }

  // All in one turn of the loop.
  template <class Range>
  void send(Range&& all) {
    client_.on_loop([&] {
      for (Asked& one : all) ask_now(one);
    });
  }
  // On the loop's thread.
  void ask_now(Asked& one) {
    one.asked_at = std::chrono::steady_clock::now();
    const stores::Progress progress = store_->ask(one.ask);
    if (progress != stores::Progress::kPending) one.tell(progress);
  }
  template <class Range>
  static void await(Range&& all) {
    for (Asked& one : all) ASSERT_TRUE(wait_until([&] { return one.is_told.load(); }));
  }

  Asked& ask(Asked& one) {
    client_.on_loop([&] { ask_now(one); });
    EXPECT_TRUE(wait_until([&] { return one.is_told.load(); }));
    EXPECT_EQ(one.times_told, 1);
    return one;
  }
  // Lives as long as this does.
  Asked& ask(stores::Action action, const std::vector<Take>& takes, size_t together) {
    return ask(past_.emplace_back(action, takes, together));
  }
  Asked& take(const std::vector<Take>& takes) { return ask(stores::Action::kTake, takes, takes.size()); }
  Asked& peek(const std::vector<Take>& takes) { return ask(stores::Action::kPeek, takes, takes.size()); }

  // Until this many servers can be asked.
  bool comes_up(size_t servers = 1) {
    return wait_until([&] { return client_.client().status().connections_up >= servers; });
  }

  redis::ClientOnLoop& client() { return client_; }
  // For the loop's thread.
  RedisStore& store() { return *store_; }

 private:
  redis::ClientOnLoop client_;
  std::unique_ptr<RedisStore> store_;
  std::deque<Asked> past_;
};

}  // namespace sluice::redis_store
