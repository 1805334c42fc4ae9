// What is sent to the script and what its reply is taken for, without a Redis.
#include "stores/redis/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>

namespace sluice::redis_store {
namespace {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using testing::ElementsAre;

std::string bytes_of(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return bytes;
}

class QuestionTest : public testing::Test {
 protected:
  struct Asked {
    std::vector<Take> takes;
    std::vector<BucketResult> results;
    Ask ask;
  };

  Asked& add(Action action, std::vector<Take> takes, size_t together) {
    Asked& asked = asked_.emplace_back();
    asked.takes = std::move(takes);
    asked.results.resize(asked.takes.size());
    asked.ask.action = action;
    asked.ask.takes = asked.takes;
    asked.ask.together = together;
    asked.ask.results = asked.results;
    EXPECT_TRUE(question_.add(asked.ask));
    return asked;
  }
  Asked& take(std::string_view key, const Limit& limit) { return add(Action::kTake, {{key, &limit}}, 1); }

  // The program behind its limits.
  std::vector<double> body() {
    const std::string_view program = question_.program();
    std::vector<double> values(program.size() / sizeof(double));
    std::memcpy(values.data(), program.data(), program.size());
    values.erase(values.begin(), values.begin() + 1 + 6 * static_cast<int>(values[0]));
    return values;
  }

  Question question_{"sluice"};
  std::deque<Asked> asked_;
  const Limit ten_ = *Limit::token_bucket(10, 50);
  const Limit also_ten_ = *Limit::token_bucket(10, 50);
  const Limit third_ = *Limit::token_bucket(1.0 / 3, 5);
  const Limit window_ = *Limit::fixed_window(Tokens::whole(7), Duration(1'000'000'001));
};

TEST_F(QuestionTest, NamesEachBucketOnce) {
  take("a", ten_);
  take("b", ten_);
  take("a", third_);
  add(Action::kPeek, {{"a", &ten_, kOneToken, 1}, {"b", &ten_}}, 2);
  EXPECT_THAT(question_.names(), ElementsAre("sluice{}0:a", "sluice{}0:b", "sluice{}1:a"));
}

TEST_F(QuestionTest, SendsEachLimitOnce) {
  take("a", ten_);
  take("b", third_);
  take("c", also_ten_);
  take("d", window_);
  EXPECT_EQ(question_.program().substr(0, 19 * sizeof(double)),
            bytes_of({3, 0, 50e6, 10, 1, 31 * 64 + 3 * 64 + 16, 10,             // 10 is 80/64 of 2^3
                      0, 5e6, 1, 3, 31 * 64 - 2 * 64 + 21, 85.0 / 256,          // a third is 85.3/64 of 2^-2
                      3, 7e6, 1'000'001, 0, 4096 + 19 * 64 + 59, 1'007'616}));  // 123/64 of 2^19, in whole microseconds
}

TEST_F(QuestionTest, SaysOnceWhatTakesOfBucketsInARowHaveInCommon) {
  for (const char* key : {"a", "b", "c"}) take(key, ten_);
  add(Action::kTake, {{"d", &ten_}, {"e", &ten_}, {"e", &ten_}}, 0);
  take("b", ten_);
  take("c", third_);
  // 5: of buckets that nothing else names.
  EXPECT_THAT(body(), ElementsAre(5, 2, 1e6, 1, 1, 4, 2, 1e6, 2, 2, 5, 2, 1e6, 4, 1, 4, 2, 1e6, 5, 1,  //
                                  4, 2, 1e6, 5, 1, 4, 2, 1e6, 2, 1, 4, 8, 1e6, 3, 1));
}

TEST_F(QuestionTest, SaysOfSeveralBucketsHowManyAreTogether) {
  take("a", ten_);
  add(Action::kTake, {{"a", &ten_}, {"b", &third_, Tokens::micros(7)}, {"c", &ten_}}, 2);
  take("d", ten_);
  add(Action::kPeek, {{"a", &ten_}}, 1);
  add(Action::kRefund, {{"a", &ten_}}, 0);
  add(Action::kReset, {{"b", &third_}}, 1);
  EXPECT_THAT(body(), ElementsAre(4, 2, 1e6, 1, 1,                         //
                                  0, 2, 1, 1, 2, 1e6, 2, 8, 7, 3, 2, 1e6,  //
                                  5, 2, 1e6, 4, 1, 1, 1, 0, 1, 2, 1e6,     //
                                  2, 1, 1, 2, 1e6, 3, 1, 2, 8, 1e6));
}

TEST_F(QuestionTest, SaysWhichUndoneTakesNobodyIsToldOf) {
  const std::vector<Take> takes{{"a", &ten_}};
  Ask quiet;
  quiet.action = Action::kRefund;
  quiet.takes = takes;
  std::vector<stores::Decided> decided{{700, 3'000'000}};
  quiet.decided = decided;
  quiet.is_quiet = true;
  EXPECT_TRUE(question_.add(quiet));
  EXPECT_THAT(body(), ElementsAre(7, 1, 1, 2, 1e6, 700, 3e6));
}

TEST_F(QuestionTest, SaysWhichTokenBucketsOfARequestAreUsedAgain) {
  const Limit queue = *Limit::leaky_queue(*Rate::per_second(1), Tokens::whole(5));
  add(Action::kTake, {{"a", &ten_}, {"all", &third_}}, 2);
  add(Action::kTake, {{"b", &ten_}, {"all", &third_}}, 2);
  add(Action::kTake, {{"c", &ten_}, {"c", &ten_}}, 2);
  add(Action::kTake, {{"d", &ten_}, {"e", &queue}}, 2);
  EXPECT_THAT(body(), ElementsAre(6, 2, 1, 2, 1e6, -2, 8, 1e6, 6, 2, 3, 2, 1e6, -2, 8, 1e6,  //
                                  0, 2, 0, 4, 2, 1e6, 4, 2, 1e6, 0, 2, 0, 5, 2, 1e6, 6, 14, 1e6));
}

TEST_F(QuestionTest, CutsCostsThatNoBucketHolds) {
  add(Action::kTake, {{"a", &ten_, Tokens::whole(1'000'000'000'000)}}, 1);
  EXPECT_THAT(body(), ElementsAre(5, 2, 0x1p51, 1, 1));
}

TEST_F(QuestionTest, ReadsResultsIntoTheirAsks) {
  Asked& first = take("a", ten_);
  add(Action::kRefund, {{"a", &ten_}}, 1);
  Asked& second = add(Action::kTake, {{"b", &ten_}, {"c", &ten_}, {"d", &ten_}}, 2);
  ASSERT_TRUE(question_.answer(bytes_of({7, 0, 100, 0, 8, 5, 9e15, 0, 9, -1 - 250, 3, 0, 0, -1e16, 0, 0, 1e15})));
  EXPECT_TRUE(first.results[0].decision.allowed());
  EXPECT_EQ(first.results[0].decision.remaining, Tokens::micros(7));
  EXPECT_EQ(first.results[0].reset_after, Duration::micros(100));
  EXPECT_EQ(second.results[0].decision.delay, Duration::micros(5));
  EXPECT_EQ(second.results[0].reset_after, kForever);
  EXPECT_EQ(second.results[1].decision.verdict, Verdict::kLimited);
  EXPECT_EQ(second.results[1].decision.retry_after, Duration::micros(250));
  EXPECT_EQ(second.results[1].decision.delay, Duration());
  EXPECT_EQ(second.results[2].decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(second.results[2].decision.retry_after, kForever);
}

TEST_F(QuestionTest, BelievesNoReplyThatTheScriptCannotGive) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Asked& asked = take("a", ten_);
  asked.results[0].decision.remaining = Tokens::micros(77);
  const double time = 1e15;
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {time},
                                            {1, 0, 0, 0},
                                            {1, 0, 0, time},
                                            {1, 0, 0, 0, 0, time},
                                            {-1, 0, 0, 0, time},
                                            {0.5, 0, 0, 0, time},
                                            {nan, 0, 0, 0, time},
                                            {inf, 0, 0, 0, time},
                                            {1e300, 0, 0, 0, time},
                                            {1, nan, 0, 0, time},
                                            {1, -inf, 0, 0, time},
                                            {1, 9.1e15, 0, 0, time},
                                            {1, -1.1e16, 0, 0, time},
                                            {1, 0, -1, 0, time},
                                            {1, 0, nan, 0, time},
                                            {1, 0, 1e16, 0, time},
                                            {1, 0, 0, -1, time},
                                            {1, 0, 0, 0x1p53, time},
                                            {1, 0, 0, 0, nan},
                                            {1, 0, 0, 0, 0.5},
                                            {1, 0, 0, 0, inf}}) {
    EXPECT_FALSE(question_.answer(bytes_of(values)));
  }
  EXPECT_FALSE(question_.answer(bytes_of({1, 0, 0, 0, time}).substr(1)));
  EXPECT_EQ(asked.results[0].decision.remaining, Tokens::micros(77));
  EXPECT_TRUE(question_.answer(bytes_of({1, 0, 0, 0, time})));
}

TEST_F(QuestionTest, TellsWhenTakesWereDecidedSoThatTheyCanBeUndone) {
  Asked& taken = add(Action::kTake, {{"a", &ten_}, {"b", &third_}}, 2);
  std::vector<stores::Decided> decided(2);
  taken.ask.decided = decided;
  ASSERT_TRUE(question_.answer(bytes_of({9e6, 0, 5000, 3e6, 4e6, 0, 700, 5e6, 1e15})));
  question_.clear();
  Asked undone;
  undone.takes = taken.takes;
  undone.ask.action = Action::kRefund;
  undone.ask.takes = undone.takes;
  undone.ask.decided = decided;
  ASSERT_TRUE(question_.add(undone.ask));
  take("c", ten_);
  EXPECT_THAT(body(), ElementsAre(8, 2, 1, 2, 1e6, 1e15, 3e6, 2, 8, 1e6, 1e15, 5e6,  //
                                  5, 2, 1e6, 3, 1));
}

TEST_F(QuestionTest, LeavesUndecidedWhatMetABucketThatCannotBeRead) {
  take("a", ten_);
  Asked& bad = add(Action::kTake, {{"b", &ten_}, {"c", &ten_}}, 2);
  Asked& shadow = add(Action::kTake, {{"d", &ten_}, {"c", &ten_}}, 1);
  ASSERT_TRUE(question_.answer(bytes_of({1, 0, 0, 0, 0, -1, 0, 0, 0, -2e16, 0, 0, 1, 0, 0, 0, 0, -2e16, 0, 0, 1e15})));
  EXPECT_THAT(question_.undecided(), ElementsAre(&bad.ask));
  EXPECT_EQ(shadow.ask.not_asked, 2U);
  EXPECT_EQ(question_.unreadable(), "sluice{}0:c");
}

TEST_F(QuestionTest, TakesNoMoreThanItHasRoomFor) {
  std::vector<std::string> keys;
  for (size_t i = 0; i <= Question::kMaxTakes; ++i) keys.push_back(std::to_string(i));
  for (size_t i = 0; i + 2 < keys.size(); ++i) take(keys[i], ten_);
  std::vector<Take> two{{keys[0], &ten_}, {keys[1], &ten_}};
  Ask ask;
  ask.takes = two;
  EXPECT_FALSE(question_.add(ask));
  EXPECT_EQ(question_.asks().size(), Question::kMaxTakes - 1);
  take(keys[Question::kMaxTakes], ten_);
  EXPECT_EQ(question_.names().size(), Question::kMaxTakes);
  question_.clear();
  EXPECT_TRUE(question_.is_empty());
  EXPECT_TRUE(question_.add(ask));
  EXPECT_THAT(question_.names(), ElementsAre("sluice{}0:0", "sluice{}0:1"));
}

}  // namespace
}  // namespace sluice::redis_store
