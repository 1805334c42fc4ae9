#include "doors/access.h"

#include <gtest/gtest.h>

namespace sluice::doors {
namespace {

TEST(Access, WithoutATokenIsForEverybody) {
  EXPECT_TRUE(Access().allows(""));
  EXPECT_TRUE(Access().allows_bearer(""));
  EXPECT_FALSE(Access().needs_token());
}

TEST(Access, WithATokenIsForThoseWhoKnowIt) {
  const Access access("s3cret");
  EXPECT_TRUE(access.needs_token());
  EXPECT_TRUE(access.allows("s3cret"));
  EXPECT_FALSE(access.allows("s3cre"));
  EXPECT_FALSE(access.allows("s3cret "));
  EXPECT_FALSE(access.allows(""));
}

TEST(Access, ReadsABearerTokenInAnyCase) {
  const Access access("s3cret");
  EXPECT_TRUE(access.allows_bearer("Bearer s3cret"));
  EXPECT_TRUE(access.allows_bearer("bEARER  s3cret"));
  EXPECT_FALSE(access.allows_bearer("Bearer"));
  EXPECT_FALSE(access.allows_bearer("Bearer "));
  EXPECT_FALSE(access.allows_bearer("Basic s3cret"));
  EXPECT_FALSE(access.allows_bearer("s3cret"));
}

TEST(Access, KnowsWhoseTokenItIs) {
  Access access("s3cret", "admin");
  access.add("t0ken", "ann");
  EXPECT_TRUE(access.allows_bearer("Bearer s3cret"));
  EXPECT_TRUE(access.allows("t0ken"));
  EXPECT_FALSE(access.allows("t0ke"));
  ASSERT_NE(access.owner_of_bearer("Bearer t0ken"), nullptr);
  EXPECT_EQ(*access.owner_of_bearer("Bearer t0ken"), "ann");
  EXPECT_EQ(*access.owner_of_bearer("Bearer s3cret"), "admin");
  EXPECT_EQ(access.owner_of_bearer("Bearer other"), nullptr);
  EXPECT_EQ(access.owner_of_bearer("t0ken"), nullptr);
}

}  // namespace
}  // namespace sluice::doors
