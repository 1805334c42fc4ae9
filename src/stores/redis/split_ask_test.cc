// A request over several slots, part by part: the parts are answered by the test, in any order.
#include "stores/redis/split_ask.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "stores/memory/memory_store.h"

namespace sluice::redis_store {
namespace {

using stores::Action;
using stores::BucketResult;
using stores::Progress;
using ::testing::ElementsAre;

const Limit kTen = *Limit::token_bucket(1, 10);
constexpr int64_t kSinceNs = 7;

// Has the buckets in memory, and answers when the test says so.
class SplitAskTest : public ::testing::Test, protected PartSender, protected stores::Listener {
 protected:
  struct Sent {
    stores::Ask* part;
    uint16_t slot;
  };

  void send_part(stores::Ask& part, uint16_t slot, int64_t since_ns) override {
    sent_.push_back({&part, slot});
    since_ns_.push_back(since_ns);
    for (stores::Decided& decided : part.decided) {
      if (part.action == Action::kTake) decided = {slot * 100, slot * 100 + 7};
    }
    // Decided in the order of sending, whatever the order of the answers; what it points to need not outlive this.
    decided_.push_back(std::find(away_.begin(), away_.end(), slot) != away_.end() ? Progress::kUnavailable
                                                                                  : store_->ask(part));
  }
  void on_done(SplitAsk&) override { ++done_; }
  void on_answer(Progress progress) override {
    progress_ = progress;
    ++told_;
    if (forget_when_told_) {
      keys_.clear();
      limit_.reset();
    }
  }

  // One slot for each take; the bucket's key is its number.
  void start(Action action, const std::vector<uint16_t>& slots, const std::vector<int>& costs, size_t together) {
    limit_ = std::make_unique<Limit>(kTen);
    keys_.clear();
    takes_.clear();
    for (size_t i = 0; i < slots.size(); ++i) keys_.push_back("bucket " + std::to_string(i));
    for (size_t i = 0; i < slots.size(); ++i) takes_.push_back({keys_[i], limit_.get(), Tokens::whole(costs[i])});
    results_.assign(slots.size(), {});
    ask_ = {action, takes_, together, now_, results_, this};
    ask_.decided = decided_by_;
    progress_ = Progress::kPending;
    told_ = done_ = 0;
    split_.start(ask_, slots, kSinceNs);
  }
  // The parts that are out, the last one first.
  void answer_all() {
    while (!sent_.empty()) answer(sent_.size() - 1);
  }
  void answer(size_t which) {
    const Sent sent = sent_[which];
    const Progress progress = decided_[which];
    sent_.erase(sent_.begin() + static_cast<ptrdiff_t>(which));
    decided_.erase(decided_.begin() + static_cast<ptrdiff_t>(which));
    sent.part->listener->on_answer(progress);
  }
  std::vector<uint16_t> slots_sent() const {
    std::vector<uint16_t> slots;
    for (const Sent& sent : sent_) slots.push_back(sent.slot);
    return slots;
  }

  Tokens left_in(int bucket) {
    const std::string key = "bucket " + std::to_string(bucket);
    const Take take{key, &kTen};
    BucketResult result;
    stores::Ask ask{Action::kPeek, {&take, 1}, 1, now_, {&result, 1}, nullptr};
    store_->ask(ask);
    return result.decision.remaining;
  }
  Tokens told_left_in(size_t take) const { return results_[take].decision.remaining; }

  const std::unique_ptr<memory::MemoryStore> store_ = std::move(*memory::MemoryStore::create({}));
  const Instant now_{1'000'000'000};
  SplitAsk split_{*this};
  std::vector<uint16_t> away_;
  std::vector<int64_t> since_ns_;  // of all that was sent
  std::vector<Sent> sent_;
  std::vector<Progress> decided_;
  std::unique_ptr<Limit> limit_;
  std::deque<std::string> keys_;
  std::vector<Take> takes_;
  std::vector<BucketResult> results_;
  stores::Ask ask_;
  Progress progress_ = Progress::kPending;
  int told_ = 0;
  int done_ = 0;
  bool forget_when_told_ = false;
  std::span<stores::Decided> decided_by_;  // of what is asked, if it is to be told
};

TEST_F(SplitAskTest, AsksEverySlotOnceAndAtTheSameTime) {
  start(Action::kTake, {7, 3, 7, 5}, {1, 2, 3, 4}, 4);
  EXPECT_THAT(slots_sent(), ElementsAre(7, 3, 5));
  EXPECT_EQ(sent_[0].part->takes.size(), 2U);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(told_left_in(i), Tokens::whole(9 - static_cast<int>(i)));
}

TEST_F(SplitAskTest, GivesBackWhatItTookWhenOneRefuses) {
  start(Action::kTake, {1, 2, 3}, {4, 11, 3}, 3);
  EXPECT_EQ(left_in(0), Tokens::whole(6));
  for (int i = 0; i < 3; ++i) answer(0);
  EXPECT_EQ(told_, 1) << "before anything is given back";
  EXPECT_EQ(done_, 0);
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(results_[1].decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(told_left_in(0), Tokens::whole(10));
  EXPECT_EQ(told_left_in(2), Tokens::whole(10));
  EXPECT_THAT(slots_sent(), ElementsAre(1, 3));
  for (const Sent& sent : sent_) {
    ASSERT_EQ(sent.part->decided.size(), 1U) << "so that it is undone";
    EXPECT_EQ(sent.part->decided[0].at_us, sent.slot * 100);
    EXPECT_EQ(sent.part->decided[0].given, sent.slot * 100 + 7);
  }
  answer_all();
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(left_in(i), Tokens::whole(10));
}

TEST_F(SplitAskTest, TellsWhatIsTakenInAdvanceWhenItWasDecidedSoThatItCanBeUndone) {
  std::vector<stores::Decided> decided(3);
  for (const size_t together : {0, 3}) {
    decided.assign(3, {});
    decided_by_ = decided;
    start(Action::kTake, {1, 2, 1}, {1, 1, 1}, together);
    answer_all();
    for (const size_t i : {0, 1, 2}) EXPECT_EQ(decided[i].at_us, i == 1 ? 200 : 100);
    start(Action::kRefund, {1, 2, 1}, {1, 1, 1}, 0);
    for (const Sent& sent : sent_) {
      ASSERT_EQ(sent.part->decided.size(), sent.part->takes.size());
      for (const stores::Decided& each : sent.part->decided) EXPECT_EQ(each.given, sent.slot * 100 + 7);
    }
    answer_all();
  }
}

TEST_F(SplitAskTest, GivesNothingBackWhenAllRefuse) {
  start(Action::kTake, {1, 2}, {11, 12}, 2);
  answer_all();
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
}

TEST_F(SplitAskTest, WhatIsGivenBackNeedsNothingOfWhoeverWasToldAlready) {
  forget_when_told_ = true;
  start(Action::kTake, {1, 2}, {4, 11}, 2);
  answer_all();
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(left_in(0), Tokens::whole(10));
}

TEST_F(SplitAskTest, AllItsTimeCountsFromTheBeginningButOfWhatIsGivenBack) {
  start(Action::kTake, {1, 2, 3}, {4, 4, 4}, 2);
  answer_all();
  EXPECT_EQ(since_ns_, (std::vector<int64_t>{kSinceNs, kSinceNs, kSinceNs}));
  since_ns_.clear();
  start(Action::kTake, {1, 2}, {4, 11}, 2);
  answer_all();
  ASSERT_EQ(since_ns_.size(), 3U);
  EXPECT_EQ(since_ns_[1], kSinceNs);
  EXPECT_GT(since_ns_[2], kSinceNs);
}

TEST_F(SplitAskTest, TellsWhatIsThereOfABucketThatIsNamedTwice) {
  limit_ = std::make_unique<Limit>(kTen);
  takes_ = {{"a", limit_.get(), Tokens::whole(2)},
            {"a", limit_.get(), Tokens::whole(3)},
            {"b", limit_.get(), Tokens::whole(11)}};
  results_.assign(3, {});
  ask_ = {Action::kTake, takes_, 3, now_, results_, this};
  const std::vector<uint16_t> slots = {1, 1, 2};
  split_.start(ask_, slots, kSinceNs);
  answer_all();
  EXPECT_EQ(told_left_in(0), Tokens::whole(10));
  EXPECT_EQ(told_left_in(1), Tokens::whole(10));
}

TEST_F(SplitAskTest, APartThatIsAwayMakesTheRequestUnavailableAndTheOthersAreGivenBack) {
  away_ = {2};
  start(Action::kTake, {1, 2, 3}, {4, 5, 6}, 3);
  answer_all();
  EXPECT_EQ(progress_, Progress::kUnavailable);
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(left_in(i), Tokens::whole(10));
}

TEST_F(SplitAskTest, TakesFromThoseBehindOnlyAfterTheFirstPassed) {
  start(Action::kTake, {1, 2, 3, 1}, {4, 5, 11, 2}, 2);
  EXPECT_THAT(slots_sent(), ElementsAre(1, 2));
  EXPECT_EQ(left_in(3), Tokens::whole(10));
  answer(0);
  answer(0);
  EXPECT_EQ(told_, 0);
  EXPECT_THAT(slots_sent(), ElementsAre(3, 1));
  answer_all();
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(results_[2].decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(told_left_in(3), Tokens::whole(8));
  EXPECT_EQ(left_in(0), Tokens::whole(6)) << "those behind reject nothing";
  EXPECT_EQ(ask_.not_asked, 0U);
}

TEST_F(SplitAskTest, ThoseBehindARejectionAreNotAsked) {
  start(Action::kTake, {1, 2, 3, 1}, {4, 11, 1, 2}, 2);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(ask_.not_asked, 0b1100U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(left_in(i), Tokens::whole(10));
}

TEST_F(SplitAskTest, ThoseBehindThatAreAwayChangeNothingOfTheDecision) {
  away_ = {3};
  start(Action::kTake, {1, 2, 3, 1}, {4, 5, 1, 2}, 2);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(ask_.not_asked, 0b0100U);
  EXPECT_EQ(told_left_in(0), Tokens::whole(6));
  EXPECT_EQ(told_left_in(3), Tokens::whole(8));
  EXPECT_EQ(left_in(0), Tokens::whole(6));
}

TEST_F(SplitAskTest, TakesThatAreEachOnTheirOwnDoNotWaitForOneAnother) {
  start(Action::kTake, {1, 2, 3}, {4, 11, 3}, 0);
  EXPECT_EQ(sent_.size(), 3U);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(left_in(0), Tokens::whole(6));
  EXPECT_EQ(left_in(2), Tokens::whole(7));
}

TEST_F(SplitAskTest, PeeksTakeNothingAndGiveNothingBack) {
  start(Action::kPeek, {1, 2, 3}, {4, 11, 3}, 2);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(ask_.not_asked, 0b100U);
  EXPECT_EQ(told_left_in(0), Tokens::whole(10));
  away_ = {1};
  start(Action::kPeek, {1, 2}, {4, 5}, 2);
  answer_all();
  EXPECT_EQ(progress_, Progress::kUnavailable);
  EXPECT_EQ(done_, 1);
}

TEST_F(SplitAskTest, RefundsAndResetsGoToAllSlotsAtOnce) {
  start(Action::kTake, {1, 2}, {4, 5}, 2);
  answer_all();
  start(Action::kRefund, {1, 2}, {3, 3}, 2);
  EXPECT_EQ(sent_.size(), 2U);
  answer_all();
  EXPECT_EQ(progress_, Progress::kAnswered);
  EXPECT_EQ(left_in(0), Tokens::whole(9));
  EXPECT_EQ(left_in(1), Tokens::whole(8));
  start(Action::kReset, {1, 2}, {1, 1}, 2);
  answer_all();
  EXPECT_EQ(left_in(1), Tokens::whole(10));
  away_ = {1};
  start(Action::kReset, {1, 2}, {1, 1}, 2);
  answer_all();
  EXPECT_EQ(progress_, Progress::kUnavailable);
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(done_, 1);
}

}  // namespace
}  // namespace sluice::redis_store
