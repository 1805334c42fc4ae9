#include "doors/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/answers_testing.h"
#include "doors/decimal_text.h"

namespace sluice::doors {
namespace {

using nlohmann::json;

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

std::string written(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElementsAndNowhereElse) {
  std::string out = "before ";
  JsonWriter writer(out);
  writer.begin_array();
  writer.begin_object();
  writer.end_object();
  writer.begin_object();
  writer.name("a");
  writer.begin_array();
  writer.integer(-1);
  writer.null();
  writer.boolean(true);
  writer.end_array();
  writer.name("b");
  writer.string({"x", "", "y"});
  writer.end_object();
  writer.end_array();
  EXPECT_EQ(out, R"(before [{},{"a":[-1,null,true],"b":"xy"}])");
}

TEST(JsonWriter, EscapesWhatJsonWantsEscaped) {
  EXPECT_EQ(escaped("a\"b\\c/d\n\r\t\x01\x1f\x7f"), "a\\\"b\\\\c/d\\n\\r\\t\\u0001\\u001f\x7f");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\u0000");
}

TEST(JsonWriter, KeepsCharactersOfEveryLength) {
  for (const char* text : {"ü", "名", "🙂", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(escaped(text), text);
  }
}

// One sign for each stretch that begins a character and does not end it, as browsers and Python do.
TEST(JsonWriter, WhatIsNoCharacterIsReplaced) {
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

RC_GTEST_PROP(JsonWriter, AnyBytesAtAllMakeAStringThatParses, ()) {
  const auto bytes = *rc::gen::oneOf(rc::gen::arbitrary<std::string>(), any_hostile_text());
  const json parsed = json::parse(written(bytes), nullptr, false);
  RC_ASSERT(!parsed.is_discarded());
  // What another writer makes of the same bytes has the same characters that were right.
  const std::string other = json(bytes).dump(-1, ' ', false, json::error_handler_t::ignore);
  std::string mine = parsed.get<std::string>();
  std::string theirs = json::parse(other).get<std::string>();
  for (std::string* text : {&mine, &theirs}) {
    for (size_t at = text->find("\xef\xbf\xbd"); at != std::string::npos; at = text->find("\xef\xbf\xbd")) {
      text->erase(at, 3);
    }
  }
  RC_ASSERT(mine == theirs);
}

TEST(DecimalText, TokensAreExactWithNoMoreDecimalsThanTheyHave) {
  const auto text = [](int64_t micros) { return std::string(DecimalText(Tokens::micros(micros)).view()); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(1), "0.000001");
  EXPECT_EQ(text(20'000'000), "20");
  EXPECT_EQ(text(1'500'000), "1.5");
  EXPECT_EQ(text(1'050'000), "1.05");
  EXPECT_EQ(text(999'999), "0.999999");
  EXPECT_EQ(text(-250'000), "-0.25");
  EXPECT_EQ(text(INT64_MAX), "9223372036854.775807");
  EXPECT_EQ(text(INT64_MIN), "-9223372036854.775808");
}

TEST(DecimalText, IntegersAreWrittenToTheirEnds) {
  EXPECT_EQ(DecimalText(INT64_MIN).view(), "-9223372036854775808");
  EXPECT_EQ(DecimalText(int64_t{0}).view(), "0");
}

}  // namespace
}  // namespace sluice::doors
