#include "doors/admin/preconditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::doors::admin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tags tags_of(std::string_view value) {
  auto parsed = parse_tags("If-Match", value);
  EXPECT_TRUE(std::holds_alternative<Tags>(parsed)) << value;
  return std::holds_alternative<Tags>(parsed) ? std::get<Tags>(std::move(parsed)) : Tags();
}

TEST(Preconditions, TagsAreInQuotationMarks) {
  EXPECT_THAT(tags_of("\"3\"").tags, ElementsAre("3"));
  EXPECT_THAT(tags_of("\"3\", \"4\" ,\"a b\"").tags, ElementsAre("3", "4", "a b"));
  EXPECT_THAT(tags_of("").tags, IsEmpty());
  for (const char* bad : {"3", "\"3", "\"3\", 4", "W/3"}) {
    const auto parsed = parse_tags("If-Match", bad);
    ASSERT_TRUE(std::holds_alternative<std::string>(parsed)) << bad;
    EXPECT_THAT(std::get<std::string>(parsed), HasSubstr("If-Match must be * or tags in quotation marks"));
  }
}

TEST(Preconditions, AnyFitsAll) {
  EXPECT_TRUE(tags_of("*").has("7"));
  EXPECT_TRUE(tags_of("\"6\", \"7\"").has("7"));
  EXPECT_FALSE(tags_of("\"6\"").has("7"));
}

TEST(Preconditions, WeakTagsTellWhatAClientHasAndNothingElse) {
  EXPECT_FALSE(tags_of("W/\"7\"").has("7"));
  EXPECT_TRUE(tags_of("\"6\", W/\"7\"").has_weakly("7"));
  EXPECT_TRUE(tags_of("\"7\"").has_weakly("7"));
  EXPECT_FALSE(tags_of("W/\"6\"").has_weakly("7"));
}

}  // namespace
}  // namespace sluice::doors::admin
