#include "doors/query_string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::doors {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(QueryString, IsReadFieldByField) {
  EXPECT_THAT(parse_query("a=1&b=two&a=3"), ElementsAre(Pair("a", "1"), Pair("b", "two"), Pair("a", "3")));
  EXPECT_THAT(parse_query(""), IsEmpty());
  EXPECT_THAT(parse_query("&&a&=b&c=&"), ElementsAre(Pair("a", ""), Pair("", "b"), Pair("c", "")));
  EXPECT_THAT(parse_query("a=b=c"), ElementsAre(Pair("a", "b=c")));
}

TEST(QueryString, IsDecodedAsBrowsersWriteIt) {
  EXPECT_THAT(parse_query("a%20b=c+d%2B%c3%A4"), ElementsAre(Pair("a b", "c d+\xc3\xa4")));
  EXPECT_THAT(parse_query("a=%00"), ElementsAre(Pair("a", std::string(1, '\0'))));
}

TEST(QueryString, KeepsBrokenEscapesAsTheyAre) {
  EXPECT_THAT(parse_query("a=%&b=%4&c=%zz&d=100%"),
              ElementsAre(Pair("a", "%"), Pair("b", "%4"), Pair("c", "%zz"), Pair("d", "100%")));
}

TEST(QueryString, IsReadToItsEndHoweverManyFieldsComeBefore) {
  std::string query;
  for (int i = 0; i < 10'000; ++i) query += "a&";
  const QueryFields fields = parse_query(query + "key=real");
  ASSERT_EQ(fields.size(), 10'001U);
  EXPECT_THAT(fields.back(), Pair("key", "real"));
}

TEST(DecodePath, LeavesAPlusAsItIs) {
  EXPECT_EQ(decode_path("a%7Cb+c%2Bd%2"), "a|b+c+d%2");
  EXPECT_EQ(decode_path("&=?%00"), std::string("&=?\0", 4));
}

TEST(QueryReader, ReadsOneQueryAfterAnother) {
  QueryReader reader;
  for (const std::string& value : {std::string(1000, 'x'), std::string("y"), std::string(5000, 'z')}) {
    const auto fields = reader.read("a=" + value + "&b%20=%31");
    ASSERT_EQ(fields.size(), 2U);
    EXPECT_EQ(fields[0].value, value);
    EXPECT_EQ(fields[1].name, "b ");
    EXPECT_EQ(fields[1].value, "1");
  }
}

}  // namespace
}  // namespace sluice::doors
