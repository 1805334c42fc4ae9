#include "rules/claims.h"

#include <gtest/gtest.h>

namespace sluice::rules {
namespace {

TEST(Claims, AreFoundByTheirWholeName) {
  const Claims claims{{{"org.id", "7"}, {"plan", "pro"}, {"sub", "42"}}};
  EXPECT_EQ(claims.find("org.id"), "7");
  EXPECT_EQ(claims.find("sub"), "42");
  for (const std::string_view name : {"", "org", "org.", "org.id.x", "Sub", "subs", "zzz"}) {
    EXPECT_FALSE(claims.find(name)) << name;
  }
  EXPECT_FALSE(Claims{}.find("sub"));
}

TEST(Claims, ThatHaveTwoValuesAreTheFirst) {
  const Claims claims{{{"org.id", "own"}, {"org.id", "nested"}}};
  EXPECT_EQ(claims.find("org.id"), "own");
}

}  // namespace
}  // namespace sluice::rules
