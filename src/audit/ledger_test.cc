#include "audit/ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "allocations/count.h"
#include "audit/audit_testing.h"
#include "audit/cut_text.h"

namespace sluice::audit {
namespace {

constexpr int64_t kSecond = 1'000'000;

TEST(Ledger, RejectionsOfOneKeyAreOneRowWithTheirCountTheFirstAndTheLast) {
  Ledger ledger;
  for (int i = 0; i < 1'000; ++i) note(ledger, "user:42", 5 * kSecond + i * 1'000);
  const auto rows = rows_of(ledger.collect());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].bucket_key, "user:42");
  EXPECT_EQ(rows[0].count, 1'000U);
  EXPECT_EQ(rows[0].requested_at_us, 5 * kSecond);
  EXPECT_NEAR(static_cast<double>(rows[0].last_at_us), 5'999'000, 1'024);
  EXPECT_EQ(rows[0].reason, "token_bucket_exceeded");
  EXPECT_EQ(rows[0].tokens_at_time, 0.5);
  EXPECT_EQ(ledger.noted(), 1'000U);
  EXPECT_EQ(ledger.dropped(), 0U);
}

TEST(Ledger, EachWindowBeginsAnew) {
  Ledger ledger;
  for (int window = 1; window <= 5; ++window) {
    for (int i = 0; i < window; ++i) note(ledger, "a", window * kSecond);
    const auto rows = rows_of(ledger.collect());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].count, static_cast<uint64_t>(window));
    EXPECT_EQ(rows[0].requested_at_us, window * kSecond);
  }
  EXPECT_TRUE(rows_of(ledger.collect()).empty());
}

TEST(Ledger, TheSameBytesOfAnotherKindAreAnotherRow) {
  Ledger ledger;
  note(ledger, "a", 1, 1);
  note(ledger, "a", 1, 2);
  note(ledger, "a", 1, 2);
  const auto rows = rows_of(ledger.collect());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].count, 1U);
  EXPECT_EQ(rows[1].count, 2U);
}

TEST(Ledger, AClockThatGoesBackNeitherUndoesTheLastNorComesBeforeTheFirst) {
  Ledger ledger;
  note(ledger, "a", 10 * kSecond);
  note(ledger, "a", 20 * kSecond);
  note(ledger, "a", 3 * kSecond);
  note(ledger, "b", 4 * kSecond);
  const auto rows = rows_of(ledger.collect());
  EXPECT_NEAR(static_cast<double>(rows[0].last_at_us), 20 * kSecond, 1'024);
  EXPECT_GE(rows[1].last_at_us, rows[1].requested_at_us);
}

TEST(Ledger, WhatIsBeyondItsRowsIsCountedAndWhatIsKnownGoesOn) {
  Ledger ledger({.rows = 100});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 250; ++i) note(ledger, "key:" + std::to_string(i));
  }
  const auto rows = rows_of(ledger.collect());
  EXPECT_EQ(rows.size(), 100U);
  for (const Violation& row : rows) EXPECT_EQ(row.count, 3U) << row.bucket_key;
  EXPECT_EQ(ledger.dropped(), 450U);
  EXPECT_EQ(ledger.noted(), tally_of(rows).rejections + ledger.dropped());
}

TEST(Ledger, WhatIsBeyondItsBytesIsCounted) {
  Ledger ledger({.rows = 1'000, .bytes = 10'000});
  for (int i = 0; i < 100; ++i) note(ledger, std::to_string(i) + std::string(900, 'x'));
  const auto rows = rows_of(ledger.collect());
  EXPECT_GE(rows.size(), 9U);
  EXPECT_LE(rows.size(), 11U);
  EXPECT_EQ(rows.size() + ledger.dropped(), 100U);
}

TEST(Ledger, ManyWindowsOfManySizesLoseNothing) {
  Ledger ledger({.rows = 50'000, .bytes = 8 << 20});
  for (const int keys : {1, 50'000, 3, 20'000, 0, 50'000, 1}) {
    for (int i = 0; i < 2 * keys; ++i) note(ledger, "key:" + std::to_string(i % keys));
    const auto rows = rows_of(ledger.collect());
    EXPECT_EQ(rows.size(), static_cast<size_t>(keys));
    for (const Violation& row : rows) ASSERT_EQ(row.count, 2U);
  }
  EXPECT_EQ(ledger.dropped(), 0U);
}

TEST(Ledger, KeysMayHaveAnyBytes) {
  Ledger ledger;
  const std::string with_nul("a\0b\xff\xfe\n", 6);
  note(ledger, with_nul);
  note(ledger, std::string("a\0c", 3));
  note(ledger, "a");
  note(ledger, "");
  const auto counts = counts_of(rows_of(ledger.collect()));
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts.at(with_nul), 1U);
}

TEST(Ledger, ALongKeyIsCutWithAMarkAndNotTakenForAnother) {
  Ledger ledger;
  std::string one(10 << 20, 'k');
  std::string other = one;
  other.back() = 'K';
  note(ledger, one);
  note(ledger, one);
  note(ledger, other);
  const std::string longest_whole(kLongestText, 'k');
  note(ledger, longest_whole);
  const auto rows = rows_of(ledger.collect());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[1].count, 1U);
  EXPECT_EQ(rows[0].bucket_key.size(), kLongestText);
  EXPECT_NE(rows[0].bucket_key.find("...(10485760 bytes, "), std::string::npos);
  EXPECT_NE(rows[0].bucket_key, rows[1].bucket_key);
  EXPECT_EQ(rows[2].bucket_key, longest_whole);
}

TEST(CutText, IsTheSameInEveryProcessAndEndsBetweenCharacters) {
  for (int shift = 0; shift < 3; ++shift) {
    std::string text(static_cast<size_t>(shift), 'a');
    for (int i = 0; i < 1'000; ++i) text += "€";
    const CutText cut(text);
    std::string out(cut.size(), '\0');
    ASSERT_EQ(cut.copy_to(out.data()), out.data() + out.size());
    EXPECT_LE(out.size(), kLongestText);
    const size_t mark = out.find("...(");
    ASSERT_NE(mark, out.npos);
    EXPECT_EQ((mark - static_cast<size_t>(shift)) % 3, 0U);
    EXPECT_EQ(out.substr(0, mark), text.substr(0, mark));
    if (shift == 0) {
      EXPECT_EQ(out.substr(mark), "...(3000 bytes, c87d214eae18a3e8c3de9786dd82a166)");
    }
  }
}

TEST(Ledger, NotingAllocatesNothing) {
  Ledger ledger;
  std::vector<std::string> keys;
  for (int i = 0; i < 1'000; ++i) keys.push_back("a key of some length, with the number " + std::to_string(i));
  const uint64_t before = sluice::testing::allocations();
  for (int round = 0; round < 3; ++round) {
    for (const std::string& key : keys) note(ledger, key);
    ledger.collect()->clear();
  }
  EXPECT_EQ(sluice::testing::allocations(), before);
}

TEST(Ledger, NothingIsLostOrCountedTwiceWhileTheWriterCollects) {
  constexpr int kLoops = 3;
  constexpr int kNotes = 60'000;
  constexpr int kKeys = 97;
  std::vector<std::unique_ptr<Ledger>> ledgers;
  for (int i = 0; i < kLoops; ++i) ledgers.push_back(std::make_unique<Ledger>());
  std::atomic<int> running{kLoops};
  std::atomic<int> windows{0};
  std::vector<std::thread> loops;
  for (int loop = 0; loop < kLoops; ++loop) {
    loops.emplace_back([&, loop] {
      for (int i = 0; i < kNotes; ++i) {
        // However late the writer begins, it collects in between.
        while (i == kNotes / 2 && windows < kLoops) std::this_thread::yield();
        note(*ledgers[loop], "key:" + std::to_string(i % kKeys), i);
      }
      --running;
    });
  }
  std::map<std::string, uint64_t> counts;
  const auto collect = [&] {
    for (const auto& ledger : ledgers) {
      for (const auto& [key, count] : counts_of(rows_of(ledger->collect()))) counts[key] += count;
      ++windows;
    }
  };
  while (running > 0) collect();
  for (std::thread& loop : loops) loop.join();
  collect();
  uint64_t all = 0;
  for (const auto& [key, count] : counts) all += count;
  EXPECT_EQ(all, static_cast<uint64_t>(kLoops) * kNotes);
  EXPECT_EQ(counts.size(), static_cast<size_t>(kKeys));
  EXPECT_EQ(counts.at("key:0"), static_cast<uint64_t>(kLoops) * ((kNotes + kKeys - 1) / kKeys));
  EXPECT_GT(windows, kLoops);
}

}  // namespace
}  // namespace sluice::audit
