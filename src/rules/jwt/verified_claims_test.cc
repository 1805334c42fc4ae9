#include "rules/jwt/verified_claims.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "rules/jwt/jwt_testing.h"

namespace sluice::rules::jwt {
namespace {

using ::testing::HasSubstr;

std::string holds_until(int64_t exp, const std::string& plan = "pro") {
  return hs256().token(R"({"plan":")" + plan + R"(","exp":)" + std::to_string(exp) + "}");
}

class Remembered : public ::testing::Test {
 protected:
  uint64_t refusals(Refusal why) const { return claims_.counts().refused[static_cast<size_t>(why)]; }

  VerifiedClaims claims_{verifier_of({hs256().key, es256().key})};
};

TEST_F(Remembered, ARepeatedTokenIsVerifiedOnce) {
  const std::string token = es256().token(R"({"plan":"pro"})");
  for (int i = 0; i < 10; ++i) {
    const Claims* const found = claims_.claims_of(token, kNow);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(claim(*found, "plan"), "pro");
  }
  EXPECT_EQ(claims_.counts().verified, 1u);
  EXPECT_EQ(claims_.counts().hits, 9u);
  EXPECT_EQ(claims_.why_not(), "");
}

TEST_F(Remembered, AnExpiredTokenStopsHoldingAtOnceAndSaysSinceWhen) {
  const std::string token = holds_until(kNow);
  EXPECT_NE(claims_.claims_of(token, kNow - 1), nullptr);
  EXPECT_EQ(claims_.claims_of(token, kNow), nullptr);
  EXPECT_EQ(claims_.claims_of(token, kNow + 12), nullptr);
  EXPECT_EQ(claims_.why_not(), "it expired 12 s ago");
  EXPECT_EQ(refusals(Refusal::kExpired), 2u);
  EXPECT_EQ(claims_.counts().verified, 1u);
}

TEST_F(Remembered, ATokenThatCameExpiredCostsNoSecondSignature) {
  const std::string token = holds_until(kNow - 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(claims_.claims_of(token, kNow), nullptr);
  EXPECT_EQ(claims_.counts().verified, 1u);
  EXPECT_EQ(claims_.why_not(), "it expired 5 s ago");
}

TEST_F(Remembered, ATokenThatCameTooEarlyHoldsWhenItsTimeHasCome) {
  const std::string token = hs256().token(R"({"plan":"pro","nbf":)" + std::to_string(kNow) + "}");
  EXPECT_EQ(claims_.claims_of(token, kNow - 7), nullptr);
  EXPECT_EQ(claims_.why_not(), "it is valid only in 7 s");
  EXPECT_EQ(refusals(Refusal::kNotYet), 1u);
  const Claims* const found = claims_.claims_of(token, kNow);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(claim(*found, "plan"), "pro");
  EXPECT_NE(claims_.claims_of(token, kNow + 1), nullptr);
  EXPECT_EQ(claims_.counts().verified, 1u);
}

TEST_F(Remembered, AClockThatGoesBackBringsATokenBack) {
  const std::string token = holds_until(kNow);
  EXPECT_EQ(claims_.claims_of(token, kNow), nullptr);
  EXPECT_NE(claims_.claims_of(token, kNow - 1), nullptr);
  EXPECT_EQ(claims_.claims_of(token, kNow), nullptr);
}

TEST_F(Remembered, ABadSignatureIsCheckedOnce) {
  const std::string token = Issuer::es256().token("{}");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(claims_.claims_of(token, kNow), nullptr);
  EXPECT_EQ(claims_.counts().verified, 1u);
  EXPECT_EQ(refusals(Refusal::kSignature), 10u);
  EXPECT_EQ(claims_.why_not(), "its signature does not fit");
}

TEST_F(Remembered, WhyNotSpeaksOfTheLastTokenOnly) {
  EXPECT_EQ(claims_.why_not(), "");
  EXPECT_EQ(claims_.claims_of("garbage", kNow), nullptr);
  EXPECT_EQ(claims_.why_not(), "it has not the three parts of a signed token");
  EXPECT_EQ(claims_.claims_of(hs256().token(R"({"exp":"soon"})"), kNow), nullptr);
  EXPECT_EQ(claims_.why_not(), "its `exp` is not a number of seconds");
  EXPECT_EQ(claims_.claims_of(std::string(1 << 20, 'x'), kNow), nullptr);
  EXPECT_EQ(claims_.why_not(), "it is longer than 8192 bytes");
  EXPECT_NE(claims_.claims_of(hs256().token("{}"), kNow), nullptr);
  EXPECT_EQ(claims_.why_not(), "");
}

TEST_F(Remembered, AFloodOfForgeriesDrivesOutNoGoodToken) {
  VerifiedClaims::Options small;
  small.good = {16, 1 << 20};
  small.refused = {16, 1 << 16};
  VerifiedClaims claims(verifier_of({hs256().key}), small);
  std::vector<std::string> good;
  for (int i = 0; i < 8; ++i) good.push_back(holds_until(kNow + 100, std::to_string(i)));
  for (const std::string& token : good) ASSERT_NE(claims.claims_of(token, kNow), nullptr);
  const Issuer forger = Issuer::hs256("", std::string(32, 'f'));
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(claims.claims_of(forger.token("{\"n\":" + std::to_string(i) + "}"), kNow), nullptr);
  }
  const uint64_t before = claims.counts().verified;
  for (const std::string& token : good) EXPECT_NE(claims.claims_of(token, kNow), nullptr);
  EXPECT_EQ(claims.counts().verified, before);
}

TEST_F(Remembered, ATokenWhoseTimeHasComeIsKeptWithTheGoodOnes) {
  VerifiedClaims::Options small;
  small.refused = {1, 1 << 16};
  VerifiedClaims claims(verifier_of({hs256().key}), small);
  const std::string early = hs256().token(R"({"nbf":)" + std::to_string(kNow) + "}");
  ASSERT_EQ(claims.claims_of(early, kNow - 1), nullptr);
  ASSERT_NE(claims.claims_of(early, kNow), nullptr);
  const Issuer forger = Issuer::hs256("", std::string(32, 'f'));
  for (int i = 0; i < 100; ++i) claims.claims_of(forger.token("{\"n\":" + std::to_string(i) + "}"), kNow);
  const uint64_t before = claims.counts().verified;
  EXPECT_NE(claims.claims_of(early, kNow), nullptr);
  EXPECT_EQ(claims.counts().verified, before);
}

TEST_F(Remembered, UpstreamIsTrustedButExpiryCounts) {
  JwtSettings settings;
  settings.trust_upstream = true;
  VerifiedClaims claims(verifier_of(settings));
  const std::string token = encode(R"({"alg":"RS256"})") + "." + encode(R"({"plan":"pro","exp":1800000000})") + ".";
  EXPECT_NE(claims.claims_of(token, kNow - 1), nullptr);
  EXPECT_EQ(claims.claims_of(token, kNow), nullptr);
  EXPECT_EQ(claims.why_not(), "it expired 0 s ago");
}

TEST_F(Remembered, CountsMayBeReadWhileTheyAreMade) {
  std::atomic<bool> done{false};
  std::thread reader([&] {
    uint64_t last = 0;
    while (!done) {
      const uint64_t now = claims_.counts().hits;
      EXPECT_GE(now, last);
      last = now;
    }
  });
  const std::string token = holds_until(kNow + 1);
  for (int i = 0; i < 10'000; ++i) claims_.claims_of(token, kNow);
  done = true;
  reader.join();
  EXPECT_EQ(claims_.counts().hits, 9'999u);
}

// With the smallest memory there is and any order of tokens and times, answers are those of no memory at all.
RC_GTEST_PROP(RememberedProperties, MemoryNeverChangesAnAnswer, ()) {
  static const std::vector<std::string> kTokens = [] {
    std::vector<std::string> tokens = {"", "garbage", Issuer::hs256("", std::string(32, 'f')).token("{}")};
    for (int i = 0; i < 12; ++i) {
      tokens.push_back(hs256().token(R"({"nbf":)" + std::to_string(i) + R"(,"exp":)" + std::to_string(20 - i) + "}"));
    }
    return tokens;
  }();
  static const auto kVerifier = verifier_of({hs256().key});
  VerifiedClaims::Options tiny;
  tiny.good = {*rc::gen::element<size_t>(1, 2), *rc::gen::element<size_t>(0, 1500, 1 << 20)};
  tiny.refused = {1, *rc::gen::element<size_t>(0, 1500, 1 << 20)};
  VerifiedClaims claims(kVerifier, tiny);
  const auto steps = *rc::gen::container<std::vector<std::pair<size_t, int64_t>>>(
      rc::gen::pair(rc::gen::inRange<size_t>(0, kTokens.size()), rc::gen::inRange<int64_t>(-2, 25)));
  for (const auto& [which, now] : steps) {
    const Verdict truth = kVerifier->verify(kTokens[which]);
    const bool holds = truth.refused.why == Refusal::kNone && truth.validity.holds_at(now);
    const Claims* const found = claims.claims_of(kTokens[which], now);
    RC_ASSERT((found != nullptr) == holds);
    if (holds) RC_ASSERT(found->values == truth.claims.values);
    RC_ASSERT(claims.why_not().empty() == holds);
  }
}

}  // namespace
}  // namespace sluice::rules::jwt
