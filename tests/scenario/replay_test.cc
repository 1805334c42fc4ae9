// Canaries: a runner that cannot fail proves nothing.
#include "scenario/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/algorithms_home.h"
#include "scenario/parser.h"

namespace sluice::scenario {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// A bucket of 5 at 1/s that has just been drained, then one more request, of which `expect` is expected.
std::string after_drain(const std::string& expect) {
  return R"({"name": "canary", "why": "It sings.", "laws": [1],
             "limits": {"user": {"algorithm": "token_bucket", "rate": 1, "burst": 5}},
             "steps": [{"at": "0s", "repeat": 5, "expect": {"allowed": 5, "rejected": 0}},
                       {"at": "1.5s", "cost": 2, "expect": )" +
         expect + "}]}";
}

std::vector<Mismatch> replayed(const std::string& text) {
  AlgorithmsHome home(AlgorithmsHome::FullBuckets::kKept);
  return replay(parse_scenario(text, "canary.json"), home);
}

TEST(Replay, OfRightExpectationsFindsNothing) {
  EXPECT_THAT(replayed(after_drain(R"({"allowed": false, "reason": "limited", "remaining": 1, "bucket": "user",
      "remaining_micros": 1500000, "retry_after_ms": 500, "retry_after_us": 500000, "reset_after_ms": 3500,
      "reset_after_us": 3500000, "delay_ms": 0, "delay_us": 0})")),
              IsEmpty());
}

struct Canary {
  const char* name;
  const char* expect;
  Mismatch mismatch;
};

void PrintTo(const Canary& canary, std::ostream* out) { *out << canary.expect; }

class WrongExpectation : public testing::TestWithParam<Canary> {};

TEST_P(WrongExpectation, FailsWithStepFieldExpectedAndGot) {
  const std::vector<Mismatch> found = replayed(after_drain(GetParam().expect));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].step, 2u);
  EXPECT_EQ(found[0].field, GetParam().mismatch.field);
  EXPECT_EQ(found[0].expected, GetParam().mismatch.expected);
  EXPECT_EQ(found[0].got, GetParam().mismatch.got);
}

const Canary kCanaries[] = {
    {"allowed", R"({"allowed": true})", {2, "allowed", "true", "false"}},
    {"reason",
     R"({"allowed": false, "reason": "cost_exceeds_capacity"})",
     {2, "reason", "cost_exceeds_capacity", "limited"}},
    {"remaining", R"({"allowed": false, "remaining": 2})", {2, "remaining", "2", "1"}},
    {"remaining_micros",
     R"({"allowed": false, "remaining_micros": 1500001})",
     {2, "remaining_micros", "1500001", "1500000"}},
    {"retry_after_ms", R"({"allowed": false, "retry_after_ms": 499})", {2, "retry_after_ms", "499", "500"}},
    {"retry_after_us", R"({"allowed": false, "retry_after_us": 500001})", {2, "retry_after_us", "500001", "500000"}},
    {"reset_after_ms", R"({"allowed": false, "reset_after_ms": 3501})", {2, "reset_after_ms", "3501", "3500"}},
    {"reset_after_us", R"({"allowed": false, "reset_after_us": 3499999})", {2, "reset_after_us", "3499999", "3500000"}},
    {"delay_ms", R"({"allowed": false, "delay_ms": 1})", {2, "delay_ms", "1", "0"}},
    {"delay_us", R"({"allowed": false, "delay_us": 1})", {2, "delay_us", "1", "0"}},
};

INSTANTIATE_TEST_SUITE_P(Canaries, WrongExpectation, testing::ValuesIn(kCanaries),
                         [](const auto& canary) { return std::string(canary.param.name); });

TEST(Replay, OfWrongCountsFails) {
  const auto found = replayed(R"({"name": "canary", "why": "It sings.", "laws": [1],
      "limits": {"user": {"algorithm": "token_bucket", "rate": 1, "burst": 5}},
      "steps": [{"at": 0, "repeat": 7, "expect": {"allowed": 6, "rejected": 1}}]})");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(
      describe(found[0], "canary.json", "Algorithms"),
      "canary.json: step 1 in Algorithms: allowed: expected 6 allowed and 1 rejected, got 5 allowed and 2 rejected");
}

TEST(Replay, OfTheWrongBucketFails) {
  const auto found = replayed(R"({"name": "canary", "why": "It sings.", "laws": [6],
      "limits": {"user": {"algorithm": "token_bucket", "rate": 1, "burst": 5},
                 "all": {"algorithm": "token_bucket", "rate": 1, "burst": 9}},
      "steps": [{"at": 0, "limits": [{"limit": "user"}, {"limit": "all"}],
                 "expect": {"allowed": true, "bucket": "all"}}]})");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].field, "bucket");
  EXPECT_EQ(found[0].expected, "all");
  EXPECT_EQ(found[0].got, "user");
}

TEST(Replay, OfAWrongRefundFails) {
  const auto found = replayed(R"({"name": "canary", "why": "It sings.", "laws": [2],
      "limits": {"user": {"algorithm": "token_bucket", "rate": 1, "burst": 5}},
      "steps": [{"at": 0, "cost": 3, "expect": {"allowed": true}},
                {"at": 0, "op": "refund", "cost": 2, "expect": {"remaining": 5, "reset_after_ms": 1000}}]})");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].step, 2u);
  EXPECT_EQ(found[0].got, "4");
}

// Answers as a door would that knows only whole tokens and whole seconds.
class CoarseHome : public AlgorithmsHome {
 public:
  CoarseHome() : AlgorithmsHome(FullBuckets::kKept) {}

  Answer take(std::span<const Take> takes, Instant now) override {
    Answer answer = AlgorithmsHome::take(takes, now);
    answer.decision.remaining = Tokens::whole(answer.decision.remaining.floor());
    answer.decision.retry_after = Duration::seconds(answer.decision.retry_after.ceil_seconds());
    answer.reset_after = Duration::seconds(answer.reset_after.ceil_seconds());
    return answer;
  }
  Precision precision() const override { return {kOneToken, Duration::seconds(1)}; }
};

TEST(Replay, HoldsACoarseHomeToWhatItCanSay) {
  CoarseHome right;
  const std::string exact = R"({"allowed": false, "remaining_micros": 1500000, "retry_after_us": 500000,
                                "reset_after_ms": 3500})";
  EXPECT_THAT(replay(parse_scenario(after_drain(exact), "canary.json"), right), IsEmpty());
  CoarseHome wrong;
  const std::string too_long = R"({"allowed": false, "retry_after_us": 1000001})";
  EXPECT_THAT(replay(parse_scenario(after_drain(too_long), "canary.json"), wrong), SizeIs(1));
}

}  // namespace
}  // namespace sluice::scenario
