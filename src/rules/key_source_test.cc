#include "rules/key_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::rules {
namespace {

using testing::HasSubstr;

TEST(KeySource, ReadsBackAsItIsWritten) {
  for (const std::string_view text :
       {"ip:address", "ip:address/24", "ip:address/56", "ip:address/24/56", "ip:address/32/20", "header:x-api-key",
        "query:api_key", "cookie:Session", "jwt:org.id", "jwt:https://x/y", "attr:User_Id", "path", "method", "host"}) {
    const auto source = KeySource::parse(text);
    ASSERT_TRUE(source) << text;
    EXPECT_EQ(source->text(), text);
    EXPECT_EQ(KeySource::parse(source->text()), source);
  }
}

TEST(KeySource, OfAddressesSaysHowMuchCounts) {
  const auto bits = [](std::string_view text) {
    const auto source = KeySource::parse(text).value();
    return std::pair<int, int>(source.ipv4_bits, source.ipv6_bits);
  };
  EXPECT_EQ(bits("ip:address"), std::pair(32, 128));
  EXPECT_EQ(bits("ip:address/24"), std::pair(24, 64));
  EXPECT_EQ(bits("ip:address/32"), std::pair(32, 64));
  EXPECT_EQ(bits("ip:address/33"), std::pair(32, 33));
  EXPECT_EQ(bits("ip:address/56"), std::pair(32, 56));
  EXPECT_EQ(bits("ip:address/128"), std::pair(32, 128));
  EXPECT_EQ(bits("ip:address/8/32"), std::pair(8, 32));
  for (int v4 = 1; v4 <= 32; ++v4) {
    for (int v6 = 1; v6 <= 128; ++v6) {
      const KeySource source{KeyKind::kIp, "", static_cast<uint8_t>(v4), static_cast<uint8_t>(v6)};
      EXPECT_EQ(KeySource::parse(source.text()), source) << source.text();
    }
  }
}

TEST(KeySource, NamesOfHeadersAndQueryParametersComeInAnyCase) {
  EXPECT_EQ(KeySource::parse("header:X-API-Key")->name, "x-api-key");
  EXPECT_EQ(KeySource::parse("query:Page")->name, "page");
  EXPECT_EQ(KeySource::parse("cookie:Session")->name, "Session");
  EXPECT_EQ(KeySource::parse("attr:Plan")->name, "Plan");
}

TEST(KeySource, RefusesWhatIsNone) {
  for (const std::string_view text : {"",
                                      ":",
                                      "ip",
                                      "ip:",
                                      "ip:addr",
                                      "ip:address/",
                                      "ip:address/0",
                                      "ip:address/129",
                                      "ip:address/24/",
                                      "ip:address/33/64",
                                      "ip:address/24/0",
                                      "ip:address/24/129",
                                      "ip:address/24/64/1",
                                      "ip:address/-1",
                                      "ip:address/024",
                                      "ip:address/ 24",
                                      "header",
                                      "header:",
                                      "header:a b",
                                      "header:a:b",
                                      "header:\xc3\xa9",
                                      "query:",
                                      "query:a b",
                                      "cookie:a=b",
                                      "jwt:",
                                      "attr:",
                                      "attr:a\n",
                                      "path:",
                                      "path:/v1",
                                      "method:GET",
                                      "host:x",
                                      "Header:x",
                                      "heder:x",
                                      " path",
                                      "path "}) {
    EXPECT_FALSE(KeySource::parse(text)) << text;
    EXPECT_FALSE(explain_bad_source(text).empty());
  }
  EXPECT_FALSE(KeySource::parse(std::string_view("header:a\0b", 10)));
  EXPECT_FALSE(KeySource::parse("header:" + std::string(257, 'x')));
  EXPECT_TRUE(KeySource::parse("header:" + std::string(256, 'x')));
}

TEST(KeySource, ThatIsNoneIsExplainedWithTheNearest) {
  EXPECT_THAT(explain_bad_source("heder:x-api-key"), HasSubstr("'header:x-api-key'?"));
  EXPECT_THAT(explain_bad_source("Header:x"), HasSubstr("'header:x'?"));
  EXPECT_THAT(explain_bad_source("attribute:plan"), HasSubstr("'attr:plan'?"));
  EXPECT_THAT(explain_bad_source("claim:sub"), HasSubstr("'jwt:sub'?"));
  EXPECT_THAT(explain_bad_source("paht"), HasSubstr("'path'?"));
  EXPECT_THAT(explain_bad_source("address"), HasSubstr("'ip:address'?"));
  EXPECT_THAT(explain_bad_source("banana"), HasSubstr("ip:address, header:<name>"));
  EXPECT_THAT(explain_bad_source("header:"), HasSubstr("lacks a name"));
  EXPECT_THAT(explain_bad_source("path:/v1"), HasSubstr("takes no name; write 'path'"));
  EXPECT_THAT(explain_bad_source("ip:address/200"), HasSubstr("'ip:address/24/56'"));
  EXPECT_THAT(explain_bad_source("header:a b"), HasSubstr("'header:x-api-key'"));
  EXPECT_LT(explain_bad_source(std::string(1 << 20, 'x')).size(), 300u);
  EXPECT_LT(explain_bad_source("header:" + std::string(1 << 20, ' ')).size(), 300u);
}

}  // namespace
}  // namespace sluice::rules
