#include "documents/json_escape.h"

#include <gtest/gtest.h>

namespace sluice::documents {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

TEST(JsonEscape, WritesWhatJsonWantsEscaped) {
  EXPECT_EQ(escaped("a\"b\\c/d\n\r\t\x01\x1f\x7f"), "a\\\"b\\\\c/d\\n\\r\\t\\u0001\\u001f\x7f");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\u0000");
}

TEST(JsonEscape, KeepsCharactersOfEveryLength) {
  for (const char* text : {"ü", "名", "🙂", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(escaped(text), text);
  }
}

// One sign for each stretch that begins a character and does not end it, as browsers and Python do.
TEST(JsonEscape, WhatIsNoCharacterIsReplaced) {
  const std::string sign = "\xef\xbf\xbd";
  EXPECT_EQ(escaped("\x80"), sign);
  EXPECT_EQ(escaped("\xff\xfe"), sign + sign);
  EXPECT_EQ(escaped("\xc3"), sign);
  EXPECT_EQ(escaped("\xc3("), sign + "(");
  EXPECT_EQ(escaped("\xc0\xaf"), sign + sign);                        // longer than needed
  EXPECT_EQ(escaped("\xe0\x80\xaf"), sign + sign + sign);             // likewise
  EXPECT_EQ(escaped("\xed\xa0\x80"), sign + sign + sign);             // a surrogate
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), sign + sign + sign + sign);  // above U+10FFFF
  EXPECT_EQ(escaped("\xf0\x9f\x99x"), sign + "x");
  EXPECT_EQ(escaped("\xe2\x82\""), sign + "\\\"");
  EXPECT_EQ(escaped("\xf0\x9f\x99\x82"), "🙂");
}

}  // namespace
}  // namespace sluice::documents
