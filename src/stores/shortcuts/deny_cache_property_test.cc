// Over random schedules: what is rejected without asking, the store behind would reject at that moment too, by the same
// bucket, and with no longer a wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stores/shortcuts/deny_cache.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;

// The store's clock: another origin, and up to half a thousandth faster or slower.
class DriftingClock final : public Clock {
 public:
  DriftingClock(Clock& truth, double drift) : truth_(truth), drift_(drift) {}
  Instant now() override {
    const int64_t ns = truth_.now().ns;
    return Instant(Duration::seconds(77).ns + ns + static_cast<int64_t>(static_cast<double>(ns) * drift_));
  }

 private:
  Clock& truth_;
  const double drift_;
};

// Two servers, each with a cache of its own, in front of one store; each hears of what the other gives back, and of
// buckets that go on at a faster pace. Each may have one of two limits for a key, and come to the other at any time.
class Schedule {
 public:
  explicit Schedule(uint64_t seed) : random_(seed) {
    for (RemoteStore& remote : remotes_) remote.is_prompt = chance(30);
  }

  void run() {
    for (int step = 0; step < 800 && !::testing::Test::HasFatalFailure(); ++step) {
      const int64_t waits[] = {0, 1'000, 300'000, 2'000'000, 10'000'000, 100'000'000};
      clock_.advance(Duration(below(waits[below(6)] + 1)));
      const auto server = static_cast<size_t>(below(2));
      const int64_t choice = below(100);
      if (choice < 55) {
        take(server);
      } else if (choice < 60) {
        change(server);
      } else if (choice < 63) {
        reload(server);
      } else {
        let_something_arrive(server);
      }
    }
    for (size_t server : {0, 1}) {
      while (remotes_[server].waiting() > 0) remotes_[server].reply();
    }
  }

  // Of several buckets, how many rejections could be compared with the store's.
  uint64_t names() const { return names_; }
  uint64_t hits() const { return caches_[0].counts().hits.value() + caches_[1].counts().hits.value(); }

 private:
  static constexpr Duration kRemembered = Duration::seconds(1);
  static constexpr Duration kWithinBurst = Duration::millis(50);
  static constexpr Duration kDrift = Duration::millis(1);  // of both clocks, for as long as a denial is remembered

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int64_t percent) { return below(100) < percent; }

  Take any_take(size_t server) {
    const auto i = static_cast<size_t>(below(static_cast<int64_t>(keys_.size())));
    const Limit& limit = is_changed_[server][i] ? changed_[i] : limits_[i];
    const int64_t capacity = limits_[i].capacity().micros();
    const int64_t costs[] = {1'000'000, 2'000'000, capacity / 2, capacity, capacity + 1, 700'001};
    // Of one cost for each key, or more than it can ever give.
    const int64_t choice = !is_even_ ? below(6) : chance(10) ? 4 : static_cast<int64_t>(i) % 4;
    return {keys_[i], &limit, Tokens::micros(costs[choice]), 0};
  }

  void take(size_t server) {
    std::vector<Take> takes{any_take(server)};
    while (chance(40)) takes.push_back(any_take(server));
    const auto together = static_cast<size_t>(below(static_cast<int64_t>(takes.size()) + 1));
    Question& question = questions_.emplace_back(Action::kTake, takes, together);
    const size_t before = remotes_[server].asked;
    question.to(caches_[server]);
    if (remotes_[server].asked != before) {
      if (question.is_answered()) note_decided(question.ask);
      return;
    }
    // The truth at this moment.
    Question peek(Action::kPeek, takes, together);
    peek.ask.now = there_.now();
    peek.to(*memory_);
    for (size_t i = 0; i < (together > 0 ? together : takes.size()); ++i) {
      if ((question.ask.not_asked >> i & 1) != 0) continue;
      const Decision& told = question.decision(i);
      ASSERT_EQ(told.verdict, Verdict::kLimited);
      ASSERT_EQ(peek.decision(i).verdict, Verdict::kLimited) << "rejected what the store would admit";
      ASSERT_TRUE(!is_calm(takes[i], kRemembered) || is_enough(told, peek.decision(i), kDrift))
          << "told too short a wait";
    }
    ASSERT_TRUE(together == 0 || question.is_rejected());
    if (together > 0) compare_names(question, peek, remotes_[server].is_prompt);
  }

  // By which bucket the request is rejected.
  static size_t name(const Question& question) {
    size_t named = SIZE_MAX;
    for (size_t i = 0; i < question.ask.together; ++i) {
      if ((question.ask.not_asked >> i & 1) != 0) continue;
      if (named == SIZE_MAX || stores::names_before(question.decision(i), question.decision(named))) named = i;
    }
    return named;
  }

  void compare_names(const Question& told, const Question& truth, bool is_prompt) {
    const size_t named = name(told), in_truth = name(truth);
    ASSERT_EQ(truth.decision(in_truth).verdict, Verdict::kLimited) << "another bucket can never pass it";
    for (size_t i = 0; i < told.ask.together; ++i) {
      const bool was_asked = (told.ask.not_asked >> i & 1) == 0;
      if (!is_calm(told.ask.takes[i], was_asked ? kRemembered : kWithinBurst)) return;
    }
    const Decision& longest = truth.decision(in_truth);
    ASSERT_TRUE(is_enough(told.decision(named), longest, kDrift)) << "another must be waited for longer";
    // Waits count from when a reply came: of those that end about together, either may be named.
    ASSERT_TRUE(is_enough(truth.decision(named), longest, is_prompt ? kDrift : kRemembered)) << "another is named";
    names_ += told.ask.together > 1 ? 1 : 0;
  }

  static bool is_enough(const Decision& told, const Decision& truth, Duration slack) {
    return told.retry_after.ns + slack.ns >= truth.retry_after.ns;
  }

  // Where costs or limits differ, others may have passed since one was rejected, and made its wait longer; a rejection
  // under a slower limit does too.
  bool is_calm(const Take& take, Duration lately) {
    const auto is_past = [&](const std::map<std::string, Instant>& times) {
      const auto taken = times.find(std::string(take.key));
      return taken == times.end() || taken->second + lately < clock_.now();
    };
    return is_past(decided_at_[is_of_changed(take) ? 0 : 1]) && (is_even_ || is_past(taken_at_));
  }

  // The script tells of a bucket that is carried over to a faster rate, or to another window.
  void note_decided(const stores::Ask& ask) {
    if (ask.action != Action::kTake) return;
    for (const Take& take : ask.takes) {
      const Limit*& last = last_limits_[std::string(take.key)];
      const bool is_faster = last != nullptr && take.limit->rate().as_double() > last->rate().as_double();
      last = take.limit;
      decided_at_[is_of_changed(take) ? 1 : 0][std::string(take.key)] = clock_.now();
      for (DenyCache& cache : caches_) {
        if (is_faster) cache.forget(take.key, take.part);
      }
    }
    note_taken(ask);
  }

  void note_taken(const stores::Ask& ask) {
    const auto passes = [&](size_t i) { return ask.results[i].decision.allowed(); };
    for (size_t i = 0; i < ask.together; ++i) {
      if (!passes(i)) return;
    }
    for (size_t i = 0; i < ask.takes.size(); ++i) {
      if (passes(i)) taken_at_[std::string(ask.takes[i].key)] = clock_.now();
    }
  }

  bool is_of_changed(const Take& take) const {
    return take.limit >= changed_.data() && take.limit < changed_.data() + changed_.size();
  }

  void reload(size_t server) {
    const auto i = static_cast<size_t>(below(static_cast<int64_t>(keys_.size())));
    is_changed_[server][i] = !is_changed_[server][i];
  }

  void change(size_t server) {
    const Action action = chance(70) ? Action::kRefund : Action::kReset;
    questions_.emplace_back(action, std::vector<Take>{any_take(server)}, 1).to(caches_[server]);
    if (remotes_[server].is_prompt) publish(server, questions_.back().ask);
  }

  // Decides something, or tells of something, or loses it; in any order.
  void let_something_arrive(size_t server) {
    RemoteStore& remote = remotes_[server];
    if (remote.waiting() == 0) return;
    const auto i = static_cast<size_t>(below(static_cast<int64_t>(remote.waiting())));
    const stores::Ask& ask = remote.waiting_at(i);
    const bool changes = ask.action == Action::kRefund || ask.action == Action::kReset;
    const int64_t how = below(10);
    if (how > 0) {
      const bool was_decided = remote.is_decided(i);
      remote.execute(i);
      if (!was_decided) note_decided(ask);
      if (changes) publish(server, ask);
    }
    if (how > 6) return;
    how > 1 ? remote.reply(i) : remote.lose(i);
  }

  void publish(size_t from, const stores::Ask& ask) {
    for (const Take& take : ask.takes) caches_[1 - from].forget(take.key, take.part);
  }

  std::mt19937_64 random_;
  const bool is_even_ = chance(50);  // every take of a key has the same cost
  ManualClock clock_{Instant(5'000'000'000)};
  DriftingClock there_{clock_, static_cast<double>(below(11) - 5) * 1e-4};
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  std::array<RemoteStore, 2> remotes_{RemoteStore(*memory_, there_), RemoteStore(*memory_, there_)};
  std::array<DenyCache, 2> caches_{DenyCache(remotes_[0], clock_, {64, 16, {}}),
                                   DenyCache(remotes_[1], clock_, {8, 4, {}})};
  const std::vector<std::string> keys_{"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  const std::vector<Limit> limits_{*Limit::token_bucket(1, 10),
                                   *Limit::token_bucket(0.3, 3),
                                   *Limit::token_bucket(8, 60),
                                   *Limit::leaky_bucket(*Rate::per_second(5), Tokens::whole(4)),
                                   *Limit::leaky_queue(*Rate::per_second(3), Tokens::whole(4)),
                                   *Limit::fixed_window(Tokens::whole(5), Duration::seconds(2)),
                                   *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(2)),
                                   *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(2)),
                                   *Limit::token_bucket(20, 90)};
  // Slower with a smaller burst, a smaller burst alone, or faster; or as it is.
  const std::vector<Limit> changed_{*Limit::token_bucket(0.5, 4),
                                    *Limit::token_bucket(0.3, 1),
                                    *Limit::token_bucket(8, 2),
                                    *Limit::leaky_bucket(*Rate::per_second(40), Tokens::whole(4)),
                                    limits_[4],
                                    limits_[5],
                                    limits_[6],
                                    limits_[7],
                                    *Limit::token_bucket(20, 3)};
  std::array<std::array<bool, 9>, 2> is_changed_{};
  std::deque<Question> questions_;
  std::map<std::string, Instant> taken_at_;
  std::array<std::map<std::string, Instant>, 2> decided_at_;  // under limits_, under changed_
  std::map<std::string, const Limit*> last_limits_;
  uint64_t names_ = 0;
};

TEST(DenyCacheProperty, NeverRejectsWhatTheStoreWouldAdmitAndNamesTheBucketThatItWouldName) {
  uint64_t hits = 0, names = 0;
  for (uint64_t seed = 1; seed <= 1000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Schedule schedule(seed);
    schedule.run();
    hits += schedule.hits();
    names += schedule.names();
  }
  EXPECT_GT(hits, 5'000U);
  EXPECT_GT(names, 100U);
}

}  // namespace
}  // namespace sluice::shortcuts
