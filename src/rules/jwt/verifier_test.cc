#include "rules/jwt/verifier.h"

#include <gmock/gmock.h>

#include <thread>

#include "rules/jwt/base64url.h"
#include "rules/jwt/jwt_testing.h"

namespace sluice::rules::jwt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Refusal refusal_of(const Verifier& verifier, const std::string& token) { return verifier.verify(token).refused.why; }

// RFC 7515, appendix A: the payload that all three examples sign.
const std::string kPayloadOfRfc =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

void expect_joe(const JwtKey& key, const std::string& header, const std::string& signature) {
  const auto verifier = verifier_of({key});
  ASSERT_NE(verifier, nullptr);
  const Verdict verdict = verifier->verify(header + "." + kPayloadOfRfc + "." + signature);
  EXPECT_EQ(verdict.refused.why, Refusal::kNone) << verdict.refused.detail;
  EXPECT_EQ(claim(verdict.claims, "iss"), "joe");
  EXPECT_EQ(claim(verdict.claims, "http://example.com/is_root"), "true");
  EXPECT_TRUE(verdict.validity.holds_at(1'300'819'379));
  EXPECT_FALSE(verdict.validity.holds_at(1'300'819'380));
}

TEST(Rfc7515, ExampleA1IsVerifiedByItsSecret) {
  const auto secret =
      decode_base64url("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  expect_joe({JwtAlgorithm::kHs256, "", *secret}, "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9",
             "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
}

TEST(Rfc7515, ExampleA2IsVerifiedByItsRsaKey) {
  const auto modulus = decode_base64url(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-"
      "pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Cap"
      "Hg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h"
      "4FRWyuXpoQ");
  OSSL_PARAM_BLD* const numbers = OSSL_PARAM_BLD_new();
  BIGNUM* const n = BN_bin2bn(raw(*modulus), static_cast<int>(modulus->size()), nullptr);
  OSSL_PARAM_BLD_push_BN(numbers, OSSL_PKEY_PARAM_RSA_N, n);
  OSSL_PARAM_BLD_push_uint(numbers, OSSL_PKEY_PARAM_RSA_E, 65537);
  OSSL_PARAM* const parameters = OSSL_PARAM_BLD_to_param(numbers);
  const std::string pem = pem_of_numbers("RSA", parameters);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(numbers);
  BN_free(n);
  expect_joe(
      {JwtAlgorithm::kRs256, "", pem}, "eyJhbGciOiJSUzI1NiJ9",
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9"
      "CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOL"
      "n6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtV"
      "rBp0igcN_IoypGlUPQGe77Rw");
}

TEST(Rfc7515, ExampleA3IsVerifiedByItsEllipticKey) {
  const std::string point = "\x04" + *decode_base64url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU") +
                            *decode_base64url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
  char group[] = "prime256v1";
  std::string bytes = point;
  OSSL_PARAM numbers[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
                          OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size()),
                          OSSL_PARAM_construct_end()};
  expect_joe({JwtAlgorithm::kEs256, "", pem_of_numbers("EC", numbers)}, "eyJhbGciOiJFUzI1NiJ9",
             "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
}

TEST(Verifier, TokensOfEveryAlgorithmAreVerified) {
  for (const Issuer& issuer : issuers()) {
    const Verdict verdict = verifier_of({issuer.key})->verify(issuer.token(R"({"plan":"pro","org":{"id":7}})"));
    EXPECT_EQ(verdict.refused.why, Refusal::kNone) << name_of(issuer.key.algorithm);
    EXPECT_TRUE(verdict.cost_a_signature);
    EXPECT_EQ(claim(verdict.claims, "plan"), "pro");
    EXPECT_EQ(claim(verdict.claims, "org.id"), "7");
  }
}

TEST(Verifier, EveryBadKeyIsNamedAtOnce) {
  JwtSettings settings;
  settings.keys = {{JwtAlgorithm::kHs256, "short", "x"}, hs256().key, {JwtAlgorithm::kRs256, "", "nothing"}};
  const auto made = Verifier::create(settings);
  const auto* faults = std::get_if<std::vector<KeyFault>>(&made);
  ASSERT_NE(faults, nullptr);
  ASSERT_THAT(*faults, SizeIs(2));
  EXPECT_EQ((*faults)[0].key, 0u);
  EXPECT_THAT((*faults)[0].message, HasSubstr("key 1 ('short'): "));
  EXPECT_EQ((*faults)[1].key, 2u);
  EXPECT_THAT((*faults)[1].message, HasSubstr("key 3: "));
}

TEST(Verifier, TheKidPicksItsKey) {
  const Issuer a = Issuer::hs256("a", std::string(32, 'a'));
  const Issuer b = Issuer::hs256("b", std::string(32, 'b'));
  const auto verifier = verifier_of({a.key, b.key});
  EXPECT_EQ(refusal_of(*verifier, a.token("{}")), Refusal::kNone);
  EXPECT_EQ(refusal_of(*verifier, b.token("{}")), Refusal::kNone);
  EXPECT_EQ(refusal_of(*verifier, a.token("{}", b.header())), Refusal::kSignature) << "signed by a, names b";
}

TEST(Verifier, AKidOfNoKeyIsRefusedWithItsName) {
  const Issuer a = Issuer::hs256("a");
  const Verdict verdict = verifier_of({a.key})->verify(a.token("{}", R"({"alg":"HS256","kid":"zz\n"})"));
  EXPECT_EQ(verdict.refused.why, Refusal::kUnknownKey);
  EXPECT_EQ(verdict.refused.detail, "no key has its `kid` 'zz?'");
  EXPECT_FALSE(verdict.cost_a_signature);
}

TEST(Verifier, AKeyWithoutAnIdFitsAnyKid) {
  const auto verifier = verifier_of({hs256().key});
  EXPECT_EQ(refusal_of(*verifier, hs256().token("{}", R"({"alg":"HS256","kid":"any"})")), Refusal::kNone);
}

TEST(Verifier, AnEmptyKidIsAKidOfNoKey) {
  const Issuer a = Issuer::hs256("a");
  EXPECT_EQ(refusal_of(*verifier_of({a.key}), a.token("{}", R"({"alg":"HS256","kid":""})")), Refusal::kUnknownKey);
}

TEST(Verifier, ATokenWithoutAKidIsTriedWithEightKeysAndNoMore) {
  std::vector<JwtKey> keys;
  for (int i = 0; i < 9; ++i) keys.push_back({JwtAlgorithm::kHs256, std::to_string(i), std::string(32, char('a' + i))});
  const auto verifier = verifier_of(keys);
  const std::string bare = R"({"alg":"HS256"})";
  EXPECT_EQ(refusal_of(*verifier, Issuer::hs256("", keys[7].secret).token("{}", bare)), Refusal::kNone);
  EXPECT_EQ(refusal_of(*verifier, Issuer::hs256("", keys[8].secret).token("{}", bare)), Refusal::kSignature);
  EXPECT_EQ(refusal_of(*verifier, Issuer::hs256("8", keys[8].secret).token("{}")), Refusal::kNone) << "by its name";
}

TEST(Verifier, WithoutKeysNothingIsVerified) {
  const Verdict verdict = verifier_of(std::vector<JwtKey>())->verify(hs256().token("{}"));
  EXPECT_EQ(verdict.refused.why, Refusal::kUnknownKey);
  EXPECT_EQ(verdict.refused.detail, "no keys are configured to verify it with");
}

TEST(Verifier, IssuerAndAudienceMustBeTheConfiguredOnes) {
  JwtSettings settings;
  settings.keys = {hs256().key};
  settings.issuer = "https://id.example.com/";
  settings.audience = "api";
  const auto verifier = verifier_of(settings);
  const auto refusal = [&](const char* payload) { return refusal_of(*verifier, hs256().token(payload)); };
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com/","aud":"api"})"), Refusal::kNone);
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com/","aud":["web","api"]})"), Refusal::kNone);
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com","aud":"api"})"), Refusal::kIssuer);
  EXPECT_EQ(refusal(R"({"aud":"api"})"), Refusal::kIssuer);
  EXPECT_EQ(refusal(R"({"iss":["https://id.example.com/"],"aud":"api"})"), Refusal::kIssuer);
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com/","aud":"apis"})"), Refusal::kAudience);
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com/","aud":[]})"), Refusal::kAudience);
  EXPECT_EQ(refusal(R"({"iss":"https://id.example.com/"})"), Refusal::kAudience);
}

TEST(Verifier, TheLeewayWidensBothEnds) {
  JwtSettings settings;
  settings.keys = {hs256().key};
  settings.leeway_seconds = 30;
  const auto validity = verifier_of(settings)->verify(hs256().token(R"({"nbf":1000,"exp":2000})")).validity;
  EXPECT_FALSE(validity.holds_at(969));
  EXPECT_TRUE(validity.holds_at(970));
  EXPECT_TRUE(validity.holds_at(2029));
  EXPECT_FALSE(validity.holds_at(2030));
}

TEST(Verifier, NoLeewayAndNoTimeOverflow) {
  JwtSettings settings;
  settings.keys = {hs256().key};
  settings.leeway_seconds = std::numeric_limits<int64_t>::max();
  const auto verifier = verifier_of(settings);
  EXPECT_TRUE(verifier->verify(hs256().token("{}")).validity.holds_at(kNow));
  EXPECT_TRUE(verifier->verify(hs256().token(R"({"exp":1e308})")).validity.holds_at(kNow));
  EXPECT_FALSE(verifier->verify(hs256().token(R"({"nbf":1e308})")).validity.holds_at(kNow));
  settings.leeway_seconds = -5;
  EXPECT_FALSE(verifier_of(settings)->verify(hs256().token(R"({"exp":1000})")).validity.holds_at(1000));
}

TEST(Verifier, UpstreamIsTrustedWithTheSignatureAlone) {
  JwtSettings settings;
  settings.trust_upstream = true;
  settings.issuer = "me";
  const auto verifier = verifier_of(settings);
  const std::string unsigned_part = encode(R"({"alg":"none"})") + "." + encode(R"({"iss":"me","exp":1000})") + ".";
  for (const char* signature : {"", "AAAA", "whatever!"}) {
    const Verdict verdict = verifier->verify(unsigned_part + signature);
    EXPECT_EQ(verdict.refused.why, Refusal::kNone) << signature;
    EXPECT_TRUE(verdict.validity.holds_at(999));
    EXPECT_FALSE(verdict.validity.holds_at(1000));
  }
  EXPECT_EQ(refusal_of(*verifier, encode(R"({"alg":"none"})") + "." + encode(R"({"iss":"you"})") + "."),
            Refusal::kIssuer);
  EXPECT_EQ(refusal_of(*verifier, encode(R"({"alg":"none"})") + "." + encode(R"({"a":1,"a":2})") + "."),
            Refusal::kPayload);
}

TEST(Verifier, EveryRefusalHasASentence) {
  JwtSettings settings;
  settings.issuer = "me";
  settings.leeway_seconds = 10;
  const auto verifier = verifier_of(settings);
  for (size_t i = 1; i < kRefusals; ++i) {
    const auto why = static_cast<Refusal>(i);
    EXPECT_NE(verifier->sentence({why, ""}, {}, kNow), "") << i;
    EXPECT_NE(name_of(why), "");
  }
  EXPECT_EQ(verifier->sentence({Refusal::kExpired, ""}, {0, 1010}, 1012), "it expired 12 s ago");
  EXPECT_EQ(verifier->sentence({Refusal::kNotYet, ""}, {990, 2000}, 980), "it is valid only in 20 s");
  EXPECT_EQ(verifier->sentence({Refusal::kIssuer, ""}, {}, 0), "its issuer (`iss`) is not 'me'");
  EXPECT_NE(verifier->sentence({Refusal::kExpired, ""}, {0, -9'000'000'000'000'000}, INT64_MAX), "");
}

TEST(Verifier, ManyThreadsMayShareOne) {
  const auto verifier = verifier_of({hs256().key, rs256().key, es256().key});
  std::vector<std::string> tokens;
  for (const Issuer& issuer : issuers()) tokens.push_back(issuer.token(R"({"a":1})"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        for (const std::string& token : tokens) EXPECT_EQ(refusal_of(*verifier, token), Refusal::kNone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace sluice::rules::jwt
