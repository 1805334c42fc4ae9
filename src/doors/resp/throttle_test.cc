// CL.THROTTLE and THROTTLE, to the integer.
#include <gtest/gtest.h>

#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

std::string five(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {
  std::string reply = "*5\r\n";
  for (const int64_t number : {a, b, c, d, e}) reply += ":" + std::to_string(number) + "\r\n";
  return reply;
}

TEST(ClThrottle, ABucketHoldsOneMoreThanMaxBurst) {
  SessionUnderTest test;
  for (int64_t left = 15; left >= 0; --left) {
    EXPECT_EQ(test.ask({"CL.THROTTLE", "user:1", "15", "30", "60"}), five(0, 16, left, -1, 2 * (16 - left)));
  }
  EXPECT_EQ(test.ask({"CL.THROTTLE", "user:1", "15", "30", "60"}), five(1, 16, 0, 2, 32));
}

}  // namespace
}  // namespace sluice::doors::resp
