#include "doors/status.h"

#include <gtest/gtest.h>

#include <map>

namespace sluice::doors {
namespace {

using limiter::Reason;

TEST(Status, EveryReasonHasItsOwnRow) {
  for (size_t i = 0; i < kStatusTable.size(); ++i) EXPECT_EQ(static_cast<size_t>(kStatusTable[i].reason), i);
  EXPECT_EQ(kStatusTable.size(), static_cast<size_t>(Reason::kStoreUnavailable) + 1);
}

TEST(Status, ARejectionIs429UnlessItIsNotTheCallersDoing) {
  EXPECT_EQ(http_status({}), 200);
  for (const Reason reason :
       {Reason::kExceeded, Reason::kCostExceedsCapacity, Reason::kKillSwitch, Reason::kMissingKey}) {
    EXPECT_EQ(status_row(reason).status, 429);
  }
  EXPECT_EQ(status_row(Reason::kTooManyBuckets).status, 500);
  EXPECT_EQ(status_row(Reason::kStoreUnavailable).status, 503);
}

TEST(Status, WhereNoTypeFitsTheTitleIsThePhraseOfTheStatus) {
  for (const StatusRow& row : kStatusTable) {
    if (row.problem_type != kNoType) continue;
    const std::map<int, std::string_view> phrases = {
        {200, "OK"}, {429, "Too Many Requests"}, {500, "Internal Server Error"}};
    EXPECT_EQ(row.problem_title, phrases.at(row.status));
  }
}

}  // namespace
}  // namespace sluice::doors
