// What rendering header fields takes: no memory but its own, and enough of that for the worst answer there can be.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "doors/answers_testing.h"
#include "doors/headers.h"
#include "structured_fields/parser.h"

namespace sluice::doors {
namespace {

constexpr rules::HeaderSets kAll{.ietf = true, .legacy = true, .x = true};

// The most buckets, the longest names of characters that all need escaping, the largest numbers.
AnswerUnderTest worst() {
  AnswerUnderTest made;
  for (size_t i = 0; i < PolicyList::kMost; ++i) {
    const Tokens capacity = Tokens::micros(1'000'000'000'000'000 - static_cast<int64_t>(i) * 1'000'000);
    made.bucket({.rule = std::string(500, i % 2 == 0 ? '"' : '\\'),
                 .limit = *Limit::token_bucket(Rate(), capacity),
                 .remaining = Tokens::micros(INT64_MAX),
                 .reset_after = Duration(INT64_MAX),
                 .cost = Tokens::micros(INT64_MAX),
                 .allowed = false,
                 .retry_after = Duration(kForever.ns - 1)});
  }
  made.reject(limiter::Reason::kExceeded, Duration(kForever.ns - 1));
  return made;
}

TEST(HeaderMemory, TheWorstAnswerFitsAndParses) {
  auto made = worst();
  const auto headers = std::make_unique<HeaderFields>();
  headers->render(made.answer(), {kAll, Duration(INT64_MAX)});
  ASSERT_EQ(headers->fields().size(), HeaderFields::kMostFields);
  size_t bytes = 0;
  for (const HeaderField& field : headers->fields()) {
    bytes += field.value.size();
    EXPECT_TRUE(structured_fields::parse_list(field.value).has_value()) << field.name;
  }
  EXPECT_GT(bytes, PolicyList::kMost * 2 * (QuotaPolicy::kLongestName - 4));
  EXPECT_LT(bytes, sizeof(HeaderFields));
  EXPECT_EQ(structured_fields::parse_list(headers->fields()[0].value)->size(), PolicyList::kMost);
}

TEST(HeaderMemory, RenderingAllocatesNothing) {
  auto made = worst();
  AnswerUnderTest small;
  small.bucket({}).bucket({.rule = "global"});
  const limiter::Answer* answers[] = {&made.answer(), &small.answer()};
  HeaderFields headers;
  const uint64_t before = sluice::testing::allocations();
  for (const limiter::Answer* answer : answers) headers.render(*answer, {kAll, Duration()});
  EXPECT_EQ(sluice::testing::allocations(), before);
  EXPECT_FALSE(headers.fields().empty());
}

TEST(HeaderMemory, TheCountSeesAnAllocation) {
  const uint64_t before = sluice::testing::allocations();
  EXPECT_NE(std::make_unique<HeaderFields>(), nullptr);
  EXPECT_EQ(sluice::testing::allocations(), before + 1);
}

TEST(HeaderMemory, OneForEachConnectionIsAffordable) { EXPECT_LE(sizeof(HeaderFields), 8192u); }

}  // namespace
}  // namespace sluice::doors
