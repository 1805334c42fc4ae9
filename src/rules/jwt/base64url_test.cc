#include "rules/jwt/base64url.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rules/jwt/jwt_testing.h"

namespace sluice::rules::jwt {
namespace {

TEST(Base64url, TheExamplesOfRfc4648DecodeWithoutTheirPadding) {
  EXPECT_EQ(decode_base64url(""), "");
  EXPECT_EQ(decode_base64url("Zg"), "f");
  EXPECT_EQ(decode_base64url("Zm8"), "fo");
  EXPECT_EQ(decode_base64url("Zm9v"), "foo");
  EXPECT_EQ(decode_base64url("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64url("-_-_"), "\xfb\xff\xbf");
}

TEST(Base64url, PaddingWhiteSpaceAndTheOtherAlphabetAreRefused) {
  for (const char* text : {"Zg==", "Zm8=", "Zm9v ", " Zm9v", "Zm9\nv", "+/+/", "Zm9v.", "Zm9v\xff", "Z\xc3\xa9"}) {
    EXPECT_EQ(decode_base64url(text), std::nullopt) << text;
  }
  EXPECT_EQ(decode_base64url(std::string_view("Zm\0v", 4)), std::nullopt);
}

TEST(Base64url, OneDigitTooManyIsRefused) {
  EXPECT_EQ(decode_base64url("Z"), std::nullopt);
  EXPECT_EQ(decode_base64url("Zm9vY"), std::nullopt);
}

TEST(Base64url, BitsBehindTheLastByteAreRefused) {
  EXPECT_EQ(decode_base64url("Zh"), std::nullopt);
  EXPECT_EQ(decode_base64url("Zm9"), std::nullopt);
}

RC_GTEST_PROP(Base64url, WhatIsEncodedComesBack, (const std::string& bytes)) {
  RC_ASSERT(decode_base64url(encode(bytes)) == bytes);
}

RC_GTEST_PROP(Base64url, NoTwoTextsMeanTheSameBytes, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")));
  const auto bytes = decode_base64url(text);
  if (bytes) RC_ASSERT(encode(*bytes) == text);
}

}  // namespace
}  // namespace sluice::rules::jwt
