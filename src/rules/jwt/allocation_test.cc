// A token that is remembered costs no allocation.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "rules/jwt/jwt_testing.h"
#include "rules/jwt/verified_claims.h"

namespace sluice::rules::jwt {
namespace {

TEST(NoAllocation, ARememberedTokenCostsNoneWhetherItHoldsOrNot) {
  VerifiedClaims claims(verifier_of({hs256().key}));
  const std::string good = hs256().token(R"({"plan":"pro","org":{"id":7}})");
  const std::string forged = Issuer::hs256("", std::string(32, 'f')).token("{}");
  const std::string expired = hs256().token(R"({"exp":1})");
  for (const std::string* token : {&good, &forged, &expired}) claims.claims_of(*token, kNow);
  const uint64_t before = sluice::testing::allocations();
  for (int i = 0; i < 100; ++i) {
    for (const std::string* token : {&good, &forged, &expired}) claims.claims_of(*token, kNow);
  }
  EXPECT_EQ(sluice::testing::allocations() - before, 0u);
  EXPECT_EQ(claims.counts().verified, 3u);
}

}  // namespace
}  // namespace sluice::rules::jwt
