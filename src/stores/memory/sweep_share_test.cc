// No request does more than its share of a sweep, however little it finds: nobody waits for the whole table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stores/memory/request.h"

namespace sluice::memory {
namespace {

constexpr Instant kStart{1'000'000'000};
constexpr Instant kLater = kStart + Duration::seconds(10);

class SweepShare : public testing::Test {
 protected:
  // Of requests for one key or several, all new.
  Decision take(const std::string& name, const Limit& limit, Instant now, size_t count = 1) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) keys.push_back(name + "." + std::to_string(i));
    const uint64_t before = pieces();
    Request request(*table_, annexes_);
    for (const std::string& key : keys) request.add({key, &limit}, fingerprint_(key));
    const Decision decision = request.decide(now, true);
    most_pieces_ = std::max(most_pieces_, pieces() - before);
    return decision;
  }

  // The era: advanced by each piece, and by the start of each sweep.
  uint64_t pieces() const { return table_->find({1, 1}).era; }

  void fill_annexes(const Limit& window) {
    for (uint64_t i = 0; annexes_.has_room(); ++i) take("window" + std::to_string(i), window, kStart);
  }

  // An annex was to be full soon, and then it lasts for a day: so sweeps look for it in vain.
  void fill_so_that_sweeps_are_in_vain() {
    for (uint64_t i = 0; i < 40'000; ++i) take("slow" + std::to_string(i), slow_, kStart);
    take("extended", second_, kStart);
    fill_annexes(day_);
    take("extended", day_, kStart + Duration::seconds(1));
    most_pieces_ = 0;
  }

  // What one request may: its pieces for windows, one before and one after each key it puts in, and two starts.
  static uint64_t share_of(size_t keys) { return Request::kMostPieces + 2 * keys + 2; }

  const Fingerprinter fingerprint_;
  Annexes annexes_{64 << 10};
  std::unique_ptr<Table> table_ = std::move(
      *Table::create({.max_slots = 1 << 17, .lead_slots = SharedBuckets::kCount, .huge_pages = false}, annexes_));
  const Limit slow_ = *Limit::token_bucket(1e-9, 1);
  const Limit quick_ = *Limit::token_bucket(1e3, 1);
  const Limit second_ = *Limit::sliding_window_log(kOneToken, Duration::seconds(1));
  const Limit day_ = *Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(86'400));
  uint64_t most_pieces_ = 0;
};

TEST_F(SweepShare, IsBoundedForNewWindowsAtTheirBoundWhenNoneIsFull) {
  fill_so_that_sweeps_are_in_vain();
  const uint64_t before = pieces();
  for (uint64_t i = 0; i < 20; ++i) take("late" + std::to_string(i), day_, kLater);
  EXPECT_GT(pieces() - before, 100U);
  EXPECT_LE(most_pieces_, share_of(1));
  take("late", day_, kLater, Request::kMaxTakes);
  EXPECT_LE(most_pieces_, share_of(Request::kMaxTakes));
}

TEST_F(SweepShare, IsBoundedForOneRequestHoweverManyWindowsItNeeds) {
  fill_so_that_sweeps_are_in_vain();
  take("late", day_, kLater, Request::kMaxTakes);
  EXPECT_LE(most_pieces_, share_of(Request::kMaxTakes));
}

TEST_F(SweepShare, IsBoundedForNewKeysOfAFullTableWhileItIsSwept) {
  table_ = std::move(
      *Table::create({.max_slots = 1 << 15, .lead_slots = SharedBuckets::kCount, .huge_pages = false}, annexes_));
  for (uint64_t i = 0; i < 40'000; ++i) take(std::to_string(i), i % 8 == 0 ? quick_ : slow_, kStart);
  most_pieces_ = 0;
  const uint64_t before = pieces();
  for (uint64_t i = 0; i < 2'000; ++i) take("late" + std::to_string(i), slow_, kLater);
  EXPECT_GT(pieces() - before, 200U);
  EXPECT_GT(table_->reclaimed(), 1'000U);
  EXPECT_LE(most_pieces_, share_of(1));
}

TEST_F(SweepShare, IsBoundedForRequestsThatBringManyKeysAtOnce) {
  for (uint64_t i = 0; i < 2'000; ++i) take("many" + std::to_string(i), slow_, kStart, Request::kMaxTakes);
  EXPECT_EQ(table_->used(), 64'000U);
  EXPECT_LE(most_pieces_, share_of(Request::kMaxTakes));
}

}  // namespace
}  // namespace sluice::memory
