#include "rules/jwt/claim_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "rules/jwt/token_hash.h"

namespace sluice::rules::jwt {
namespace {

std::unique_ptr<CachedToken> made(std::string text, int64_t until = 1000) {
  auto token = std::make_unique<CachedToken>();
  token->text = std::move(text);
  token->validity.until = until;
  return token;
}

TEST(ClaimCache, FindsWhatWasPutAndNothingElse) {
  ClaimCache cache({16, 1 << 20});
  EXPECT_EQ(cache.find(7, "a"), nullptr);
  CachedToken* const put = cache.put(7, made("a"), 0);
  EXPECT_EQ(cache.find(7, "a"), put);
  EXPECT_EQ(cache.find(7, "b"), nullptr) << "the same hash alone is not enough";
  EXPECT_EQ(cache.find(8, "a"), nullptr);
}

TEST(ClaimCache, TextsThatShareAHashLiveSideBySide) {
  ClaimCache cache({16, 1 << 20});
  for (const char* text : {"a", "b", "c", "d"}) cache.put(7, made(text), 0);
  for (const char* text : {"a", "b", "c", "d"}) {
    ASSERT_NE(cache.find(7, text), nullptr);
    EXPECT_EQ(cache.find(7, text)->text, text);
  }
}

TEST(ClaimCache, TheOneNotUsedForLongestGivesWay) {
  ClaimCache cache({16, 1 << 20});
  for (const char* text : {"a", "b", "c", "d"}) cache.put(7, made(text), 0);
  cache.find(7, "a");
  cache.put(7, made("e"), 0);
  EXPECT_EQ(cache.find(7, "b"), nullptr);
  EXPECT_NE(cache.find(7, "a"), nullptr);
  EXPECT_EQ(cache.size(), 4u);
}

TEST(ClaimCache, AnExpiredOneGivesWayBeforeAnOlder) {
  ClaimCache cache({16, 1 << 20});
  cache.put(7, made("a"), 0);
  cache.put(7, made("b"), 0);
  cache.put(7, made("c", 50), 0);
  cache.put(7, made("d"), 0);
  cache.put(7, made("e"), 50);
  EXPECT_EQ(cache.find(7, "c"), nullptr);
  EXPECT_NE(cache.find(7, "a"), nullptr);
}

TEST(ClaimCache, NeverHoldsMoreBytesThanItMay) {
  constexpr size_t kBytes = 100'000;
  ClaimCache cache({64, kBytes});
  const TokenHash hash;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = std::to_string(i) + std::string(1000, 'x');
    EXPECT_EQ(cache.put(hash(text), made(text), 0)->text, text);
    ASSERT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(cache.size(), 50u) << "but it makes use of them";
}

TEST(ClaimCache, BytesAreFoundInOtherSetsToo) {
  ClaimCache cache({64, 4000});
  for (uint64_t set = 0; set < 64; ++set) cache.put(set, made(std::string(1000, static_cast<char>('0' + set))), 0);
  EXPECT_LE(cache.bytes(), 4000u);
  EXPECT_NE(cache.find(63, std::string(1000, static_cast<char>('0' + 63))), nullptr);
}

TEST(ClaimCache, OneLargerThanTheBoundIsKeptAlone) {
  ClaimCache cache({4, 10});
  EXPECT_NE(cache.put(1, made("a"), 0), nullptr);
  EXPECT_NE(cache.put(2, made("b"), 0), nullptr);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(cache.find(2, "b"), nullptr);
}

TEST(ClaimCache, WhatIsTakenOutIsGone) {
  ClaimCache cache({4, 1 << 20});
  CachedToken* const put = cache.put(1, made("a"), 0);
  const auto taken = cache.take_out(1, put);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->text, "a");
  EXPECT_EQ(cache.find(1, "a"), nullptr);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.bytes(), 0u);
}

// Against a map of everything ever put: what is found is always right, and accounts always add up.
RC_GTEST_PROP(ClaimCache, NeverAnswersForAnotherTextHoweverHashesMeet, ()) {
  const auto bytes = *rc::gen::inRange<size_t>(0, 5000);
  ClaimCache cache({*rc::gen::inRange<size_t>(1, 8), bytes});
  std::map<std::string, int64_t> all;
  const auto steps = *rc::gen::container<std::vector<std::pair<uint8_t, uint8_t>>>(
      rc::gen::pair(rc::gen::inRange<uint8_t>(0, 40), rc::gen::inRange<uint8_t>(0, 100)));
  for (const auto& [name, until] : steps) {
    const std::string text(name, 'x');
    const uint64_t hash = name % 5;
    if (CachedToken* const found = cache.find(hash, text)) {
      RC_ASSERT(found->text == text);
      RC_ASSERT(found->validity.until == all.at(text));
      if (until % 7 == 0) RC_ASSERT(cache.take_out(hash, found)->text == text);
    } else {
      all[text] = until;
      RC_ASSERT(cache.put(hash, made(text, until), 50)->text == text);
    }
    RC_ASSERT(cache.bytes() <= bytes || cache.size() == 1);
  }
}

TEST(TokenHash, EveryByteAndTheLengthCount) {
  const TokenHash hash;
  std::set<uint64_t> seen;
  size_t texts = 0;
  for (size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'a');
    seen.insert(hash(text));
    ++texts;
    for (size_t i = 0; i < length; ++i) {
      std::string other = text;
      other[i] = 'b';
      seen.insert(hash(other));
      ++texts;
    }
  }
  EXPECT_EQ(seen.size(), texts);
}

TEST(TokenHash, BlocksThatChangePlacesMakeAnother) {
  const TokenHash hash;
  const std::string a(16, 'a'), b(16, 'b'), c(64, 'c');
  EXPECT_NE(hash(a + b + c), hash(b + a + c));
  EXPECT_NE(hash(c + a + b), hash(c + b + a));
  EXPECT_NE(hash(a + c + b), hash(b + c + a));
}

TEST(TokenHash, TheSecretDecidesAndTheSystemDrawsAnotherEachTime) {
  EXPECT_NE(TokenHash()("token"), TokenHash()("token"));
  const TokenHash::Secret secret{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(TokenHash(secret)("token"), TokenHash(secret)("token"));
}

}  // namespace
}  // namespace sluice::rules::jwt
