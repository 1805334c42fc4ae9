#include "sql/postgres/text.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace sluice::sql::postgres {
namespace {

TEST(PostgresText, WhatIsTextStaysAsItIs) {
  for (const std::string text : {"", "user:42", "caf\xc3\xa9", "\xf0\x9f\x92\xa7", "DOMAIN\\user", "tab\tand\nline"}) {
    EXPECT_EQ(to_text(text), text);
    EXPECT_EQ(from_text(text), text);
  }
}

TEST(PostgresText, WhatIsNoneIsEscaped) {
  EXPECT_EQ(to_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(to_text("\xff"), "\\xff");
  EXPECT_EQ(to_text("\\x41"), "\\x5cx41");
  EXPECT_EQ(to_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(to_text("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(to_text("\xe2\x82"), "\\xe2\\x82") << "cut off";
}

TEST(PostgresText, AnyBytesComeBackAndNoTwoBecomeOne) {
  std::mt19937 random(7);
  const std::string pieces[] = {"\\", "x", "4", "1", "f", std::string(1, '\0'), "\xc3", "\xa9", "\xf0", "\x9f", "a"};
  std::set<std::string> given, written;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (auto left = random() % 9; left > 0; --left) bytes += pieces[random() % std::size(pieces)];
    const std::string text = to_text(bytes);
    ASSERT_EQ(from_text(text), bytes);
    ASSERT_EQ(text.find('\0'), std::string::npos);
    given.insert(bytes);
    written.insert(text);
  }
  EXPECT_EQ(written.size(), given.size());
}

TEST(PostgresText, NothingIsCutInTwo) {
  EXPECT_EQ(clipped("short", 10), "short");
  EXPECT_EQ(clipped("abcdef", 3), "abc");
  EXPECT_EQ(clipped("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(clipped("ab\\x00", 6), "ab\\x00");
  for (size_t most = 2; most < 6; ++most) EXPECT_EQ(clipped("ab\\x00cd", most), "ab") << most;
  EXPECT_EQ(clipped("ab\\x00cd", 7), "ab\\x00c");
}

}  // namespace
}  // namespace sluice::sql::postgres
