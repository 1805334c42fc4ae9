// CL.THROTTLE and THROTTLE, to the integer.
#include "doors/resp/throttle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kLargest = "9223372036854775807";
constexpr const char* kSmallest = "-9223372036854775808";

std::string five(std::initializer_list<int64_t> numbers) {
  std::string reply = "*5\r\n";
  for (const int64_t number : numbers) reply += ":" + std::to_string(number) + "\r\n";
  return reply;
}

class ThrottleTest : public testing::Test {
 protected:
  std::string ask(std::initializer_list<std::string_view> arguments) { return test_.ask(arguments); }
  void wait(Duration time) { test_.time.now = test_.time.now + time; }

  SessionUnderTest test_;
};

TEST_F(ThrottleTest, ABucketHoldsOneMoreThanMaxBurst) {
  for (int64_t left = 15; left >= 0; --left) {
    EXPECT_EQ(ask({"CL.THROTTLE", "user:1", "15", "30", "60"}), five({0, 16, left, -1, 2 * (16 - left)}));
  }
  EXPECT_EQ(ask({"CL.THROTTLE", "user:1", "15", "30", "60"}), five({1, 16, 0, 2, 32}));
}

TEST_F(ThrottleTest, SecondsRoundUpAndRemainingDown) {
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "0", "1000", "1"}), five({0, 1, 0, -1, 1}));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "0", "1000", "1"}), five({1, 1, 0, 1, 1}));
  wait(Duration::micros(999));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "0", "1000", "1"}), five({1, 1, 0, 1, 1}));
  wait(Duration::micros(1));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "0", "1000", "1"}), five({0, 1, 0, -1, 1}));
  // A wait of exactly one second is not two.
  EXPECT_EQ(ask({"CL.THROTTLE", "s", "0", "1", "1"}), five({0, 1, 0, -1, 1}));
  EXPECT_EQ(ask({"CL.THROTTLE", "s", "0", "1", "1"}), five({1, 1, 0, 1, 1}));
}

TEST_F(ThrottleTest, RemainingNeverExceedsTheLimit) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ask({"CL.THROTTLE", "k", "6000", "6000", "1"}), five({0, 6001, 6000, -1, 1}));
    wait(Duration::seconds(7));
  }
}

TEST_F(ThrottleTest, AQuantityTakesThatManyOrNothing) {
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "1", "1", "7"}), five({0, 10, 3, -1, 7}));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "1", "1", "5"}), five({1, 10, 3, 2, 7}));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "1", "1", "3"}), five({0, 10, 0, -1, 10}));
}

TEST_F(ThrottleTest, AQuantityAboveTheLimitNeverPassesAndTakesNothing) {
  ask({"CL.THROTTLE", "k", "9", "1", "1", "4"});
  for (const char* const quantity : {"11", "1000000000001", kLargest}) {
    EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "1", "1", quantity}), five({1, 10, 6, -1, 4})) << quantity;
  }
}

TEST_F(ThrottleTest, AQuantityOfZeroLooksAndLeavesNoKeyBehind) {
  EXPECT_EQ(ask({"CL.THROTTLE", "new", "9", "1", "1", "0"}), five({0, 10, 10, -1, 0}));
  EXPECT_EQ(test_.memory->stats().keys, 0u);
  ask({"CL.THROTTLE", "k", "1", "1", "60", "2"});
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "1", "1", "60", "0"}), five({0, 2, 0, -1, 120}));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "1", "1", "60", "0"}), five({0, 2, 0, -1, 120}));
}

TEST_F(ThrottleTest, WrongArgumentsAreNamedAndTheConnectionStaysOpen) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"max_burst", {"-1", "1", "1"}},
      {"max_burst", {"x", "1", "1"}},
      {"max_burst", {"1.5", "1", "1"}},
      {"max_burst", {"", "1", "1"}},
      {"max_burst", {kLargest, "1", "1"}},
      {"max_burst", {kSmallest, "1", "1"}},
      {"count", {"1", "0", "1"}},
      {"count", {"1", "-5", "1"}},
      {"count", {"1", "0x10", "1"}},
      {"count", {"1", kSmallest, "1"}},
      {"period", {"1", "1", "0"}},
      {"period", {"1", "1", "-60"}},
      {"period", {"1", "1", "1e3"}},
      {"quantity", {"1", "1", "1", "-1"}},
      {"quantity", {"1", "1", "1", "nan"}},
      {"quantity", {"1", "1", "1", kSmallest}},
      {"max_burst", {"9223372036854775808", "1", "1"}},
      {"max_burst", {"999999999999", "1", "1"}},
      {"count", {"1", kLargest, "1"}},
      {"period", {"1", "1", kLargest}},
      {"period", {"1", "1", "1000000001"}},
      {"period", {"999999999", "1", "999999999"}},
  };
  for (const auto& [argument, values] : cases) {
    std::string bytes = "*" + std::to_string(values.size() + 2) + "\r\n$11\r\ncl.throttle\r\n$1\r\nk\r\n";
    for (const std::string& value : values) bytes += "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    EXPECT_THAT(test_.send(bytes), AllOf(StartsWith("-ERR "), HasSubstr(argument))) << bytes;
    EXPECT_FALSE(test_.is_closed);
  }
  EXPECT_EQ(test_.memory->stats().keys, 0u);
}

TEST_F(ThrottleTest, TheNumberOfArgumentsIsChecked) {
  const std::string fault = "-ERR wrong number of arguments for 'cl.throttle' command\r\n";
  EXPECT_EQ(ask({"CL.THROTTLE"}), fault);
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "1", "1"}), fault);
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "1", "1", "1", "1", "1"}), fault);
}

TEST_F(ThrottleTest, TheLargestNumbersThereAreAreAnsweredExactly) {
  EXPECT_EQ(ask({"CL.THROTTLE", "a", "999999999", "1000000000", "1"}), five({0, 1'000'000'000, 999'999'999, -1, 1}));
  EXPECT_EQ(ask({"CL.THROTTLE", "b", "0", "1", "1000000000"}), five({0, 1, 0, -1, 1'000'000'000}));
  EXPECT_EQ(ask({"CL.THROTTLE", "b", "0", "1", "1000000000"}), five({1, 1, 0, 1'000'000'000, 1'000'000'000}));
  EXPECT_EQ(ask({"CL.THROTTLE", "c", "0", "4611686018", "4611686018"}), five({0, 1, 0, -1, 1}));
}

TEST_F(ThrottleTest, KeysAreBytes) {
  const std::string large(65'536, 'k');
  const std::string odd("\xff\x00\r\n\xc3", 5);
  for (const std::string& key : {std::string(), large, odd}) {
    EXPECT_EQ(ask({"CL.THROTTLE", key, "1", "1", "1"}), five({0, 2, 1, -1, 1}));
    EXPECT_EQ(ask({"CL.THROTTLE", key, "1", "1", "1"}), five({0, 2, 0, -1, 2}));
  }
}

TEST_F(ThrottleTest, ChangedNumbersKeepWhatWasConsumed) {
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "1", "10", "8"}), five({0, 10, 2, -1, 80}));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "19", "1", "10", "0"}), five({0, 20, 12, -1, 80}));
  // A raised rate locks nobody out.
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "10", "1", "1"}), five({0, 10, 1, -1, 1}));
  wait(Duration::seconds(1));
  EXPECT_EQ(ask({"CL.THROTTLE", "k", "9", "10", "1", "1"}), five({0, 10, 9, -1, 1}));
}

TEST_F(ThrottleTest, NamesInAnyCaseIntegersAndInlineCommandsWork) {
  EXPECT_EQ(ask({"cl.Throttle", "k", "9", "1", "1"}), five({0, 10, 9, -1, 1}));
  EXPECT_EQ(test_.send("*5\r\n$11\r\nCL.THROTTLE\r\n$1\r\nk\r\n:9\r\n:1\r\n+1\r\n"), five({0, 10, 8, -1, 2}));
  EXPECT_EQ(test_.send("CL.THROTTLE k 9 1 1\r\nCL.THROTTLE 'k' \"9\" 1 1 2\r\n"),
            five({0, 10, 7, -1, 3}) + five({0, 10, 5, -1, 5}));
  EXPECT_THAT(ask({"CL\x0eTHROTTLE", "k", "9", "1", "1"}), StartsWith("-ERR unknown command"));
}

TEST_F(ThrottleTest, TheOtherDialectHoldsMaxBurstAndOrdersItsAnswerDifferently) {
  EXPECT_EQ(ask({"THROTTLE", "k", "2", "1", "10"}), five({1, 2, 1, 10, 0}));
  EXPECT_EQ(ask({"throttle", "k", "2", "1", "10"}), five({1, 2, 0, 20, 0}));
  EXPECT_EQ(ask({"THROTTLE", "k", "2", "1", "10"}), five({0, 2, 0, 20, 10}));
  EXPECT_EQ(ask({"THROTTLE", "one", "1", "1", "1"}), five({1, 1, 0, 1, 0}));
  EXPECT_EQ(ask({"THROTTLE", "one", "1", "1", "1"}), five({0, 1, 0, 1, 1}));
  wait(Duration::seconds(100));
  EXPECT_EQ(ask({"THROTTLE", "k", "2", "1", "10", "3"}), five({0, 2, 2, 0, -1}));
  EXPECT_EQ(ask({"THROTTLE", "k", "2", "1", "10", "0"}), five({1, 2, 2, 0, 0}));
  EXPECT_THAT(ask({"THROTTLE", "k", "0", "1", "1"}), HasSubstr("max_burst must be at least 1"));
  EXPECT_THAT(ask({"THROTTLE", "k", "4294967296", "1", "1"}), StartsWith("-ERR max_burst"));
}

TEST_F(ThrottleTest, BothDialectsAndTheCheckOfOneKeyShareABucket) {
  ask({"CL.THROTTLE", "k", "9", "1", "1", "4"});
  EXPECT_EQ(ask({"THROTTLE", "k", "10", "1", "1", "0"}), five({1, 10, 6, 4, 0}));
  EXPECT_THAT(ask({"SLUICE.PEEK", "KEY", "k", "RATE", "1", "BURST", "10"}), HasSubstr("$9\r\nremaining\r\n:6\r\n"));
}

}  // namespace
}  // namespace sluice::doors::resp
