#include "doors/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/answers_testing.h"
#include "doors/decimal_text.h"

namespace sluice::doors {
namespace {

using nlohmann::json;

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
