// What every implementation of ViolationTable must do, as tests, for one file of its folder. That says how to open one:
//
//   class SqliteViolations : public ViolationTableHome { ... };
//   INSTANTIATE_TEST_SUITE_P(Sqlite, ViolationTableContract, testing::Values(&make_home<SqliteViolations>));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "audit/violation_contract_testing.h"
#include "audit/violation_table.h"

namespace sluice::audit {

// A database of the test's own, empty at first. Opened by several threads at once.
class ViolationTableHome {
 public:
  virtual ~ViolationTableHome() = default;
  virtual sql::Outcome<std::unique_ptr<ViolationTable>> open() = 0;
};

using MakeHome = std::unique_ptr<ViolationTableHome> (*)();

template <class Home>
std::unique_ptr<ViolationTableHome> make_home() {
  return std::make_unique<Home>();
}

class ViolationTableContract : public ::testing::TestWithParam<MakeHome> {
 protected:
  std::unique_ptr<ViolationTable> open() { return value_of(home_->open()); }

  void append(std::vector<Violation> violations) {
    value_of(table_->append({"writer", ++number_, std::move(violations)}));
  }
  // One violation of each of these times after noon.
  void append_at(const std::vector<int64_t>& times, const std::string& user = "ann") {
    std::vector<Violation> violations;
    for (const int64_t time : times) violations.push_back(violation_of(user, time));
    append(std::move(violations));
  }
  std::vector<Violation> all(const ViolationFilter& filter = {}) {
    return value_of(table_->list(filter, std::nullopt, 100'000));
  }
  // The times after noon of what is there, as it is listed.
  std::vector<int64_t> times(const ViolationFilter& filter = {}) {
    std::vector<int64_t> found;
    for (const Violation& violation : all(filter)) found.push_back(violation.requested_at_us - noon());
    return found;
  }
  // Goes through all pages; `between` is called after each.
  template <class Between>
  std::vector<Violation> paged(const ViolationFilter& filter, size_t most, Between between) {
    std::vector<Violation> seen;
    std::optional<Cursor> after;
    for (;;) {
      const std::vector<Violation> page = value_of(table_->list(filter, after, most));
      EXPECT_LE(page.size(), most);
      if (page.empty()) return seen;
      seen.insert(seen.end(), page.begin(), page.end());
      after = Cursor{page.back().requested_at_us, page.back().id};
      between();
    }
  }

  std::unique_ptr<ViolationTableHome> home_ = GetParam()();
  std::unique_ptr<ViolationTable> table_ = open();
  int64_t number_ = 0;
};

using Times = std::vector<int64_t>;

TEST_P(ViolationTableContract, EveryColumnComesBackAsItWentIn) {
  Violation full = violation_of("o'brien\"; DROP TABLE rate_limit_violation; --", 3);
  full.ip_address = "2001:db8::1";
  full.endpoint = "GET /v1/\xc3\xa9?x=%00";
  full.last_at_us += 999'999;
  full.tokens_at_time = 0.1;
  full.cost = 1e9;
  full.count = 5'000'000'000;
  full.rule_id = 42;
  full.is_shadow = true;
  Violation bare;
  bare.requested_at_us = bare.last_at_us = noon(2);
  bare.reason = "kill_switch";
  append({full, bare});
  const std::vector<Violation> found = value_of(open()->list({}, std::nullopt, 10));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(is_same(found[0], full));
  EXPECT_TRUE(is_same(found[1], bare));
  EXPECT_NE(found[0].id, found[1].id);
}

TEST_P(ViolationTableContract, KeysOfAnyBytesAreKeptExactlyAndFound) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  for (const std::string& key : {every_byte, std::string("a\0b", 3), std::string("a\0c", 3), std::string(1, '\0'),
                                 std::string("\xff\xfe"), std::string(10'000'000, 'k')}) {
    Violation violation = violation_of("ann", 0);
    violation.bucket_key = key;
    append({violation});
    const std::vector<Violation> found = all({.bucket_key = key});
    ASSERT_EQ(found.size(), 1u) << key.size();
    EXPECT_TRUE(found[0].bucket_key == key) << key.size();
  }
}

// Users and paths come from clients too.
TEST_P(ViolationTableContract, OtherTextsOfAnyBytesAreKeptExactlyOrRefusedClearly) {
  Violation violation = violation_of(std::string("a\0b\xff", 4), 0);
  violation.endpoint = std::string("/\0", 2);
  auto outcome = table_->append({"writer", ++number_, {violation, violation_of("bob", 1)}});
  const std::vector<Violation> found = all();
  if (outcome) {
    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(is_same(found[1], violation));
  } else {
    EXPECT_EQ(outcome.fault().trouble, sql::Trouble::kRefused) << outcome.fault().message;
    EXPECT_TRUE(found.empty());
  }
}

TEST_P(ViolationTableContract, ABatchIsKeptOnceHoweverOftenItIsHandedOver) {
  const Batch first{"a", 1, {violation_of("ann", 1), violation_of("ann", 2)}};
  const Batch second{"a", 2, {violation_of("ann", 3)}};
  for (const Batch& batch : {first, first, second, first, second}) value_of(table_->append(batch));
  value_of(open()->append(second));
  EXPECT_EQ(times(), Times({3, 2, 1}));
  value_of(table_->append({"b", 1, {violation_of("ann", 4)}}));
  EXPECT_EQ(times(), Times({4, 3, 2, 1})) << "each writer counts for itself";
  value_of(table_->append({"a", 9, {}}));
  value_of(table_->append({"a", 8, {violation_of("ann", 5)}}));
  EXPECT_EQ(times(), Times({4, 3, 2, 1})) << "an empty batch counts too";
}

TEST_P(ViolationTableContract, WritersAtTheSameTimeLoseNothing) {
  constexpr int kWriters = 8;
  constexpr int kBatches = 20;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      auto table = open();
      for (int batch = 1; batch <= kBatches; ++batch) {
        const Batch whole{
            "writer" + std::to_string(writer), batch, {violation_of("ann", batch), violation_of("bob", 0)}};
        for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);;) {
          auto appended = table->append(whole);
          if (appended) break;
          ASSERT_EQ(appended.fault().trouble, sql::Trouble::kBusy) << appended.fault().message;
          ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        }
        value_of(table->append(whole));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(all().size(), 2u * kWriters * kBatches);
  EXPECT_EQ(all({.user_id = "bob"}).size(), 1u * kWriters * kBatches);
}

TEST_P(ViolationTableContract, EveryFilterLetsThroughWhatItSays) {
  Violation other = violation_of("bob", 20);
  other.ip_address = "192.0.2.1";
  other.endpoint = "/search";
  other.rule_id = 7;
  other.is_shadow = true;
  append({violation_of("ann", 10), other, violation_of("ann", 30)});
  EXPECT_EQ(times(), Times({30, 20, 10}));
  EXPECT_EQ(times({.user_id = "ann"}), Times({30, 10}));
  EXPECT_EQ(times({.user_id = "' OR 1=1 --"}), Times());
  EXPECT_EQ(times({.ip_address = "192.0.2.1"}), Times({20}));
  EXPECT_EQ(times({.bucket_key = "user:bob"}), Times({20}));
  EXPECT_EQ(times({.endpoint = "/search"}), Times({20}));
  EXPECT_EQ(times({.rule_id = 7}), Times({20}));
  EXPECT_EQ(times({.is_shadow = true}), Times({20}));
  EXPECT_EQ(times({.is_shadow = false}), Times({30, 10}));
  EXPECT_EQ(times({.since_us = noon(20)}), Times({30, 20}));
  EXPECT_EQ(times({.until_us = noon(20)}), Times({10}));
  EXPECT_EQ(times({.user_id = "ann", .since_us = noon(11), .until_us = noon(31)}), Times({30}));
  EXPECT_EQ(times({.user_id = "ann", .ip_address = "192.0.2.1"}), Times());
}

TEST_P(ViolationTableContract, PagesAreCompleteWhileMoreComesIn) {
  // Many of the same time, so that pages end among them.
  for (int i = 0; i < 10; ++i) append_at({5, 1, 5, 3, 5, 5, 9}, i % 2 == 0 ? "ann" : "bob");
  for (const ViolationFilter& filter : {ViolationFilter{}, ViolationFilter{.user_id = "ann"}}) {
    const std::vector<Violation> before = all(filter);
    const std::vector<Violation> pages = paged(filter, 3, [&] { append_at({5, 20, 3}); });
    std::map<int64_t, int> seen;
    for (const Violation& violation : pages) EXPECT_EQ(++seen[violation.id], 1) << "none comes twice";
    for (const Violation& violation : before) EXPECT_EQ(seen.count(violation.id), 1u) << "none is left out";
    const auto is_newer = [](const Violation& a, const Violation& b) {
      return std::pair(a.requested_at_us, a.id) > std::pair(b.requested_at_us, b.id);
    };
    EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end(), is_newer));
  }
}

TEST_P(ViolationTableContract, APageOfNoneHasNone) {
  append_at({1, 2});
  EXPECT_TRUE(value_of(table_->list({}, std::nullopt, 0)).empty());
}

TEST_P(ViolationTableContract, WhatIsTooOldIsRemovedInPieces) {
  append_at({4, 1, 5, 2, 3});
  EXPECT_EQ(value_of(table_->remove_before(noon(4), 2)), 2u);
  EXPECT_EQ(times(), Times({5, 4, 3})) << "the oldest go first";
  EXPECT_EQ(value_of(table_->remove_before(noon(4), 2)), 1u);
  EXPECT_EQ(value_of(table_->remove_before(noon(4), 2)), 0u);
  EXPECT_EQ(times(), Times({5, 4}));
}

TEST_P(ViolationTableContract, WhatIsTooMuchIsRemovedInPieces) {
  append_at({4, 1, 5, 2, 3});
  EXPECT_EQ(value_of(table_->remove_beyond(5, 10)), 0u);
  EXPECT_EQ(value_of(table_->remove_beyond(2, 2)), 2u);
  EXPECT_EQ(times(), Times({5, 4, 3})) << "the oldest go first";
  append_at({6});
  EXPECT_EQ(value_of(table_->remove_beyond(2, 10)), 2u);
  EXPECT_EQ(times(), Times({6, 5}));
  value_of(open()->append({"other", 1, {violation_of("ann", 7), violation_of("ann", 8)}}));
  EXPECT_EQ(value_of(table_->remove_beyond(3, 10)), 1u) << "what others have written counts";
  EXPECT_EQ(value_of(open()->remove_before(noon(7), 10)), 1u);
  EXPECT_EQ(value_of(table_->remove_beyond(2, 10)), 0u) << "and what others have removed";
  EXPECT_EQ(value_of(table_->remove_beyond(0, 10)), 2u);
  EXPECT_EQ(value_of(table_->remove_beyond(0, 10)), 0u);
}

TEST_P(ViolationTableContract, AWriterIsForgottenOnceAllItWroteIsTooOldByADay) {
  using std::chrono::hours;
  const auto in_us = [](hours later) {
    const auto then = std::chrono::system_clock::now() + later;
    return std::chrono::duration_cast<std::chrono::microseconds>(then.time_since_epoch()).count();
  };
  const Batch batch{"a", 1, {violation_of("ann", 1)}};
  const auto kept_again = [&] {
    value_of(table_->append(batch));
    return all().size();
  };
  value_of(table_->append(batch));
  value_of(table_->remove_beyond(0, 10));
  value_of(table_->remove_before(in_us(hours(12)), 10));
  EXPECT_EQ(kept_again(), 0u) << "it is known yet";
  value_of(table_->remove_before(in_us(hours(36)), 0));
  EXPECT_EQ(kept_again(), 0u) << "pieces are no larger than they may be";
  value_of(table_->remove_before(in_us(hours(36)), 10));
  EXPECT_EQ(kept_again(), 1u);
}

TEST_P(ViolationTableContract, GapsInTheNumbersAreNoRows) {
  append_at({1, 10, 11, 12, 2});
  EXPECT_EQ(value_of(table_->remove_before(noon(9), 100)), 2u);
  append_at({13});
  EXPECT_EQ(value_of(table_->remove_beyond(4, 100)), 0u);
  EXPECT_EQ(times(), Times({13, 12, 11, 10}));
}

TEST_P(ViolationTableContract, RemovedRowsDoNotComeBackWithTheirBatch) {
  const Batch batch{"a", 1, {violation_of("ann", 1)}};
  value_of(table_->append(batch));
  EXPECT_EQ(value_of(table_->remove_beyond(0, 10)), 1u);
  value_of(table_->append(batch));
  EXPECT_EQ(times(), Times());
}

}  // namespace sluice::audit
