// Every way to forge a token that we know of, and every bit of a good one turned round: none of it counts.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "rules/jwt/jwt_testing.h"
#include "rules/jwt/verified_claims.h"

namespace sluice::rules::jwt {
namespace {

class Forgery : public ::testing::Test {
 protected:
  Refusal refusal_of(const std::string& token) const { return verifier_->verify(token).refused.why; }

  // The header and the payload of a good token, as they are sent.
  static std::string parts(std::string_view header, std::string_view payload = R"({"plan":"pro"})") {
    return encode(header) + "." + encode(payload);
  }

  std::shared_ptr<const Verifier> verifier_ = verifier_of({hs256().key, rs256().key, es256().key});
};

TEST_F(Forgery, NoneIsNoAlgorithmInAnySpelling) {
  for (const char* name :
       {"none", "None", "NONE", "nOnE", "", "HS256 ", "hs256", "HS384", "PS256", "RS512", "ES256K"}) {
    const std::string signed_part = parts(R"({"alg":")" + std::string(name) + R"("})");
    EXPECT_EQ(refusal_of(signed_part + "."), Refusal::kAlgorithm) << name;
    EXPECT_EQ(refusal_of(signed_part + "." + encode(hs256().signature_of(signed_part))), Refusal::kAlgorithm) << name;
  }
}

TEST_F(Forgery, AnAlgorithmThatIsNoStringIsMalformed) {
  for (const char* header :
       {R"({})", R"({"alg":null})", R"({"alg":256})", R"({"alg":["HS256"]})", R"({"ALG":"HS256"})"}) {
    EXPECT_EQ(refusal_of(hs256().token("{}", header)), Refusal::kMalformed) << header;
  }
}

TEST_F(Forgery, AnEmptySignatureFitsNoKey) {
  for (const Issuer& issuer : issuers()) EXPECT_EQ(refusal_of(parts(issuer.header()) + "."), Refusal::kSignature);
}

TEST_F(Forgery, ASignatureOfAnotherAlgorithmDoesNotFit) {
  for (const Issuer& signer : issuers()) {
    for (const Issuer& named : issuers()) {
      if (&signer == &named) continue;
      EXPECT_EQ(refusal_of(signer.token(R"({"plan":"pro"})", named.header())), Refusal::kSignature);
    }
  }
}

// The classic: the public key is known to all, and a careless verifier takes it for the secret.
TEST_F(Forgery, APublicKeyIsNotTakenForASecret) {
  for (const Issuer* issuer : {&rs256(), &es256()}) {
    const auto verifier = verifier_of({issuer->key});
    const std::string& pem = issuer->key.secret;
    for (const std::string& secret : {pem, pem.substr(0, pem.size() - 1)}) {
      const std::string token = Issuer::hs256("", secret).token(R"({"plan":"enterprise"})");
      EXPECT_EQ(verifier->verify(token).refused.why, Refusal::kAlgorithm);
      EXPECT_EQ(refusal_of(token), Refusal::kSignature) << "with an HS256 key beside it";
    }
  }
}

TEST_F(Forgery, TheKidOfAPublicKeyDoesNotMakeItASecret) {
  const Issuer rsa = Issuer::rs256("k");
  const std::string token =
      Issuer::hs256("k", rsa.key.secret).token(R"({"plan":"enterprise"})", R"({"alg":"HS256","kid":"k"})");
  EXPECT_EQ(verifier_of({rsa.key})->verify(token).refused.why, Refusal::kAlgorithm);
}

TEST_F(Forgery, KeysThatATokenBringsAlongAreNotUsed) {
  const Issuer mine = Issuer::rs256();
  EXPECT_EQ(
      refusal_of(mine.token("{}", R"({"alg":"RS256","jwk":{"kty":"RSA"},"jku":"https://evil.example","x5c":["x"]})")),
      Refusal::kSignature);
}

TEST_F(Forgery, AKeyOfTheSameKindIsNotTheKey) {
  EXPECT_EQ(refusal_of(Issuer::rs256().token("{}")), Refusal::kSignature);
  EXPECT_EQ(refusal_of(Issuer::es256().token("{}")), Refusal::kSignature);
  EXPECT_EQ(refusal_of(Issuer::hs256("", std::string(40, 'z')).token("{}")), Refusal::kSignature);
}

TEST_F(Forgery, ACutSignatureDoesNotFit) {
  for (const Issuer& issuer : issuers()) {
    const std::string signed_part = parts(issuer.header());
    const std::string signature = issuer.signature_of(signed_part);
    for (size_t length = 0; length < signature.size(); ++length) {
      ASSERT_EQ(refusal_of(signed_part + "." + encode(signature.substr(0, length))), Refusal::kSignature) << length;
    }
    EXPECT_EQ(refusal_of(signed_part + "." + encode(signature + std::string(1, '\0'))), Refusal::kSignature);
    EXPECT_EQ(refusal_of(signed_part + "." + encode(std::string(1, '\0') + signature)), Refusal::kSignature);
  }
}

TEST_F(Forgery, AChangedPayloadUnderTheOldSignatureDoesNotFit) {
  for (const Issuer& issuer : issuers()) {
    const std::string signature = encode(issuer.signature_of(parts(issuer.header(), R"({"plan":"free"})")));
    EXPECT_EQ(refusal_of(parts(issuer.header(), R"({"plan":"free"})") + "." + signature), Refusal::kNone);
    EXPECT_EQ(refusal_of(parts(issuer.header(), R"({"plan":"pro"})") + "." + signature), Refusal::kSignature);
    EXPECT_EQ(refusal_of(parts(issuer.header(), R"({"plan":"free"} )") + "." + signature), Refusal::kSignature);
  }
}

TEST_F(Forgery, ExtensionsThatMustBeUnderstoodAreRefusedBeforeTheSignature) {
  for (const char* header : {R"({"alg":"HS256","crit":["exp"],"exp":1})", R"({"alg":"HS256","crit":[]})",
                             R"({"alg":"HS256","crit":null})", R"({"alg":"HS256","b64":false,"crit":["b64"]})"}) {
    EXPECT_EQ(refusal_of(hs256().token("{}", header)), Refusal::kCritical) << header;
  }
}

TEST_F(Forgery, AHeaderThatSaysAThingTwiceIsMalformed) {
  EXPECT_EQ(refusal_of(hs256().token("{}", R"({"alg":"none","alg":"HS256"})")), Refusal::kMalformed);
  EXPECT_EQ(refusal_of(hs256().token("{}", R"({"alg":"HS256","\u0061lg":"none"})")), Refusal::kMalformed);
}

TEST_F(Forgery, APayloadThatSaysAThingTwiceIsRefusedThoughItsSignatureFits) {
  EXPECT_EQ(refusal_of(hs256().token(R"({"plan":"free","plan":"pro"})")), Refusal::kPayload);
}

TEST_F(Forgery, ASecondSpellingOfTheSameTokenIsRefused) {
  for (const Issuer& issuer : issuers()) {
    const std::string token = issuer.token(R"({"plan":"pro"})");
    const size_t dot = token.find('.');
    EXPECT_NE(refusal_of(token + "="), Refusal::kNone);
    EXPECT_NE(refusal_of(token + "=="), Refusal::kNone);
    EXPECT_NE(refusal_of(token + " "), Refusal::kNone);
    EXPECT_NE(refusal_of(" " + token), Refusal::kNone);
    EXPECT_NE(refusal_of(token + "\n"), Refusal::kNone);
    EXPECT_NE(refusal_of(token + "."), Refusal::kNone);
    EXPECT_NE(refusal_of(token + std::string(1, '\0')), Refusal::kNone);
    EXPECT_NE(refusal_of(token.substr(0, dot) + "=" + token.substr(dot)), Refusal::kNone);
    // The last digit has bits to spare: 256, 512 and 2048 bits are no multiples of six.
    std::string other = token;
    for (const char digit : std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
      other.back() = digit;
      EXPECT_EQ(refusal_of(other) == Refusal::kNone, digit == token.back()) << digit;
    }
  }
}

TEST_F(Forgery, WhatHasNotThreePartsIsMalformed) {
  const std::string token = hs256().token("{}");
  for (const std::string& text :
       {std::string(""), std::string("."), std::string(".."), std::string("..."), std::string("a.b.c"),
        token.substr(0, token.rfind('.')), token + ".x", "x." + token}) {
    EXPECT_EQ(refusal_of(text), Refusal::kMalformed) << text;
  }
  EXPECT_THAT(verifier_->verify("a.b.c.d.e").refused.detail, ::testing::HasSubstr("encrypted"));
}

TEST_F(Forgery, OneByteAboveTheLongestIsTooLong) {
  std::string filler(5000, 'x');
  std::string token = hs256().token(R"({"a":")" + filler + R"("})");
  ASSERT_LT(token.size(), kLongestToken);
  EXPECT_EQ(refusal_of(token), Refusal::kNone);
  while (token.size() <= kLongestToken) token = hs256().token(R"({"a":")" + (filler += "x") + R"("})");
  EXPECT_EQ(refusal_of(token), Refusal::kTooLong);
  EXPECT_EQ(refusal_of(std::string(1 << 20, 'A')), Refusal::kTooLong);
  EXPECT_EQ(refusal_of(std::string(1 << 20, '.')), Refusal::kTooLong);
}

TEST_F(Forgery, DeepHeadersAndPayloadsAreRefused) {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += R"({"a":)";
  EXPECT_EQ(refusal_of(encode(deep) + ".e30.AAAA"), Refusal::kTooLong);
  deep.resize(1000);
  EXPECT_EQ(refusal_of(encode(deep) + ".e30.AAAA"), Refusal::kMalformed);
  EXPECT_EQ(refusal_of(hs256().token(deep)), Refusal::kPayload);
  EXPECT_EQ(refusal_of(hs256().token(std::string(4000, '['))), Refusal::kPayload);
}

TEST_F(Forgery, EveryTurnedBitOfAGoodTokenIsFound) {
  for (const Issuer& issuer : issuers()) {
    const std::string token = issuer.token(R"({"plan":"pro","exp":1900000000})");
    ASSERT_EQ(refusal_of(token), Refusal::kNone);
    for (size_t bit = 0; bit < token.size() * 8; ++bit) {
      std::string turned = token;
      turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
      ASSERT_NE(refusal_of(turned), Refusal::kNone) << name_of(issuer.key.algorithm) << " bit " << bit;
    }
  }
}

// The same with the memory of the good token in between: a near miss of the cache is a miss.
TEST_F(Forgery, EveryTurnedBitOfARememberedTokenIsFound) {
  VerifiedClaims claims(verifier_);
  const std::string token = hs256().token(R"({"plan":"pro"})");
  for (size_t bit = 0; bit < token.size() * 8; ++bit) {
    std::string turned = token;
    turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
    ASSERT_NE(claims.claims_of(token, kNow), nullptr);
    ASSERT_EQ(claims.claims_of(turned, kNow), nullptr) << bit;
    ASSERT_EQ(claims.claims_of(turned, kNow), nullptr) << bit << " again";
  }
}

RC_GTEST_PROP(ForgeryProperties, NoBytesAtAllAreAToken, (const std::string& bytes)) {
  static const auto kVerifier = verifier_of({hs256().key, rs256().key, es256().key});
  RC_ASSERT(kVerifier->verify(bytes).refused.why != Refusal::kNone);
}

RC_GTEST_PROP(ForgeryProperties, NoHeaderAndNoSignatureWithoutTheKeyMakeAToken, ()) {
  static const auto kVerifier = verifier_of({hs256().key, rs256().key, es256().key});
  const auto algorithm = *rc::gen::element<std::string>("HS256", "RS256", "ES256", "none");
  const auto signature = *rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                                         rc::gen::container<std::string>(32, rc::gen::arbitrary<char>()),
                                         rc::gen::container<std::string>(64, rc::gen::arbitrary<char>()),
                                         rc::gen::container<std::string>(256, rc::gen::arbitrary<char>()));
  const std::string signed_part = encode(R"({"alg":")" + algorithm + R"("})") + "." + encode(R"({"plan":"pro"})");
  RC_ASSERT(kVerifier->verify(signed_part + "." + encode(signature)).refused.why != Refusal::kNone);
}

}  // namespace
}  // namespace sluice::rules::jwt
