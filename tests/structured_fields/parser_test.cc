#include "structured_fields/parser.h"

#include <gtest/gtest.h>

namespace sluice::structured_fields {
namespace {

BareItem value_of(std::string_view text) {
  const auto item = parse_item(text);
  EXPECT_TRUE(item.has_value()) << text;
  return item ? item->value : BareItem(false);
}

TEST(StructuredFields, EveryTypeIsReadAsTheRfcWritesIt) {
  EXPECT_EQ(value_of("42"), BareItem(int64_t{42}));
  EXPECT_EQ(value_of("-0"), BareItem(int64_t{0}));
  EXPECT_EQ(value_of("999999999999999"), BareItem(int64_t{999'999'999'999'999}));
  EXPECT_EQ(value_of("4.5"), BareItem(Decimal{4500}));
  EXPECT_EQ(value_of("-123456789012.125"), BareItem(Decimal{-123'456'789'012'125}));
  EXPECT_EQ(value_of(R"("hello \"world\" \\")"), BareItem(std::string(R"(hello "world" \)")));
  EXPECT_EQ(value_of("foo123/456"), BareItem(Token{"foo123/456"}));
  EXPECT_EQ(value_of(":cHJldGVuZA==:"), BareItem(Bytes{"pretend"}));
  EXPECT_EQ(value_of("?1"), BareItem(true));
  EXPECT_EQ(value_of("@1659578233"), BareItem(Date{1'659'578'233}));
}

TEST(StructuredFields, ParametersBelongToTheirItemAndTheLastOfANameCounts) {
  const auto list = parse_list(R"("burst";q=100; w=60;a ,	"daily";q=1;q=2)");
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ(*list->at(0).parameter<int64_t>("q"), 100);
  EXPECT_EQ(*list->at(0).parameter<int64_t>("w"), 60);
  EXPECT_TRUE(*list->at(0).parameter<bool>("a"));
  EXPECT_EQ(list->at(0).parameter<std::string>("q"), nullptr);
  ASSERT_EQ(list->at(1).parameters.size(), 1u);
  EXPECT_EQ(*list->at(1).parameter<int64_t>("q"), 2);
}

TEST(StructuredFields, AnEmptyListIsAList) {
  ASSERT_TRUE(parse_list("").has_value());
  EXPECT_TRUE(parse_list("   ")->empty());
}

TEST(StructuredFields, WhatTheRfcSaysMustFailDoes) {
  for (const std::string_view text : {"1,",        ",1",
                                      "1 2",       "1,,2",
                                      "\"open",    "\"a\\n\"",
                                      "\"\x80\"",  "\"\x1f\"",
                                      "\"\x7f\"",  "1000000000000000",
                                      "1.",        ".5",
                                      "1.2345",    "1234567890123.1",
                                      "-",         "--1",
                                      "1;",        "1;Q=2",
                                      "1;q=",      ":a",
                                      ":a*b:",     "?2",
                                      "@1.5",      "\t1",
                                      "(1 2)",     "é",
                                      "1;=2",      "\"a\"b",
                                      "\"a\" ;q=1"}) {
    EXPECT_FALSE(parse_list(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_list(std::string_view("\"a\0b\"", 5)).has_value());
  EXPECT_FALSE(parse_list("\"a\"\r\nSet-Cookie: b").has_value());
  EXPECT_FALSE(parse_item("1, 2").has_value());
  EXPECT_FALSE(parse_item("").has_value());
}

}  // namespace
}  // namespace sluice::structured_fields
