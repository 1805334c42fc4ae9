#include "net/output.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::net {
namespace {

TEST(Output, KeepsWhatWasNotSentWhileItGrows) {
  Output output;
  std::string expected;
  for (int i = 0; i < 10'000; ++i) {
    const std::string more(static_cast<size_t>(i % 97), static_cast<char>('a' + i % 26));
    output.append(more);
    expected += more;
    const size_t sent = std::min<size_t>(static_cast<size_t>(i % 90), output.size());
    output.drop_front(sent);
    expected.erase(0, sent);
    ASSERT_EQ(output.bytes(), expected);
  }
}

TEST(Output, HasNoRoomOnceMuchIsWaiting) {
  Output output;
  output.append(std::string(Output::kHighWater, 'x'));
  EXPECT_FALSE(output.has_room());
  output.drop_front(1);
  EXPECT_TRUE(output.has_room());
}

TEST(Output, ReleasedStartsAnew) {
  Output output;
  output.append("abc");
  output.release();
  EXPECT_TRUE(output.empty());
  output.append("d");
  EXPECT_EQ(output.bytes(), "d");
}

}  // namespace
}  // namespace sluice::net
