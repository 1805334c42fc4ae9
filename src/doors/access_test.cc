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

}  // namespace
}  // namespace sluice::doors
