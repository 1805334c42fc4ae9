#include "rules/jwt/key.h"

#include <gmock/gmock.h>
#include <openssl/err.h>

#include "rules/jwt/base64url.h"
#include "rules/jwt/jwt_testing.h"

namespace sluice::rules::jwt {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> fault_of(JwtAlgorithm algorithm, std::string secret) {
  return check_key({algorithm, "id", std::move(secret)});
}

TEST(JwtKeys, GoodKeysOfEveryAlgorithmHaveNoFault) {
  for (const Issuer& issuer : issuers()) EXPECT_EQ(check_key(issuer.key), std::nullopt);
}

TEST(JwtKeys, AKeyFitsItsOwnSignatureAndNoOther) {
  for (const Issuer& issuer : issuers()) {
    const auto key = Key::parse(issuer.key);
    ASSERT_TRUE(std::holds_alternative<Key>(key));
    const std::string signature = issuer.signature_of("bytes");
    EXPECT_TRUE(std::get<Key>(key).fits(signature, "bytes"));
    EXPECT_TRUE(std::get<Key>(key).fits(signature, "bytes")) << "the second time";
    EXPECT_FALSE(std::get<Key>(key).fits(signature, "Bytes"));
    EXPECT_FALSE(std::get<Key>(key).fits("", "bytes"));
    EXPECT_FALSE(std::get<Key>(key).fits(signature + "x", "bytes"));
    EXPECT_FALSE(std::get<Key>(key).fits(signature.substr(1), "bytes"));
  }
}

TEST(JwtKeys, AnRsaKeyBelow2048BitsIsRefusedWithItsSize) {
  EXPECT_THAT(check_key(Issuer::rs256("", 1024).key), Optional(HasSubstr("this has 1024")));
}

TEST(JwtKeys, CurvesOtherThanP256AreRefusedByName) {
  EXPECT_THAT(check_key(Issuer::es256("", "P-384").key), Optional(HasSubstr("secp384r1")));
  EXPECT_THAT(check_key(Issuer::es256("", "secp256k1").key), Optional(HasSubstr("secp256k1")));
}

TEST(JwtKeys, AKeyOfTheOtherKindIsRefused) {
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, es256().key.secret), Optional(HasSubstr("RSA")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kEs256, rs256().key.secret), Optional(HasSubstr("elliptic")));
}

TEST(JwtKeys, APublicKeyIsNoSecret) {
  EXPECT_THAT(fault_of(JwtAlgorithm::kHs256, rs256().key.secret), Optional(HasSubstr("public key")));
}

TEST(JwtKeys, ASecretShorterThanItsHashIsRefused) {
  EXPECT_THAT(fault_of(JwtAlgorithm::kHs256, std::string(31, 'x')), Optional(HasSubstr("this has 31")));
  EXPECT_EQ(fault_of(JwtAlgorithm::kHs256, std::string(32, 'x')), std::nullopt);
}

TEST(JwtKeys, SecretsMayHaveAnyBytesAndBeLong) {
  EXPECT_EQ(fault_of(JwtAlgorithm::kHs256, std::string(32, '\0')), std::nullopt);
  EXPECT_EQ(fault_of(JwtAlgorithm::kHs256, std::string(10'000, '\xff')), std::nullopt);
}

TEST(JwtKeys, WhatPeoplePutInByMistakeIsNamedWithTheRemedy) {
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, private_pem(rs256().pkey.get())), Optional(HasSubstr("-pubout")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
              Optional(HasSubstr("openssl x509")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, "-----BEGIN RSA PUBLIC KEY-----\nMIIB\n-----END RSA PUBLIC KEY-----\n"),
              Optional(HasSubstr("RSAPublicKey_in")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, rs256().key.secret + rs256().key.secret),
              Optional(HasSubstr("more than one")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kEs256, "keys/public.pem"), Optional(HasSubstr("BEGIN PUBLIC KEY")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kEs256, ""), Optional(HasSubstr("BEGIN PUBLIC KEY")));
}

TEST(JwtKeys, ABrokenOrEncryptedPemIsRefusedWithoutAQuestionAtTheTerminal) {
  std::string broken = rs256().key.secret;
  broken[60] = '!';
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, broken), Optional(HasSubstr("OpenSSL can read")));
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, rs256().key.secret.substr(0, 200)), Optional(HasSubstr("OpenSSL")));
  std::string encrypted = rs256().key.secret;
  encrypted.insert(encrypted.find('\n') + 1,
                   "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n");
  EXPECT_THAT(fault_of(JwtAlgorithm::kRs256, encrypted), Optional(HasSubstr("OpenSSL can read")));
}

TEST(JwtKeys, FailuresLeaveNothingInTheQueueOfOpenssl) {
  fault_of(JwtAlgorithm::kRs256, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n");
  EXPECT_EQ(ERR_peek_error(), 0u);
  const auto key = Key::parse(rs256().key);
  EXPECT_FALSE(std::get<Key>(key).fits(std::string(256, 'x'), "bytes"));
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(JwtKeys, ASignatureWithZerosOrOverTheOrderFitsNothing) {
  const auto key = Key::parse(es256().key);
  const std::string good = es256().signature_of("bytes");
  const std::string zero(32, '\0');
  const std::string high(32, '\xff');
  for (const std::string& bad : {zero + good.substr(32), good.substr(0, 32) + zero, zero + zero, high + good.substr(32),
                                 good.substr(0, 32) + high}) {
    EXPECT_FALSE(std::get<Key>(key).fits(bad, "bytes"));
  }
}

// The order of P-256: with s also n - s signs, and JWS does not forbid it.
TEST(JwtKeys, TheOtherOfTheTwoValuesOfSIsFine) {
  const std::string good = es256().signature_of("bytes");
  BIGNUM* n = nullptr;
  BN_hex2bn(&n, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");
  BIGNUM* const s = BN_bin2bn(raw(good) + 32, 32, nullptr);
  BN_sub(s, n, s);
  std::string other = good;
  BN_bn2binpad(s, reinterpret_cast<uint8_t*>(other.data()) + 32, 32);
  BN_free(s);
  BN_free(n);
  ASSERT_NE(other, good);
  EXPECT_TRUE(std::get<Key>(Key::parse(es256().key)).fits(other, "bytes"));
}

TEST(JwtKeys, ASignatureInDerIsNotWhatATokenCarries) {
  EXPECT_FALSE(std::get<Key>(Key::parse(es256().key)).fits(sign(es256().pkey.get(), "bytes"), "bytes"));
}

}  // namespace
}  // namespace sluice::rules::jwt
