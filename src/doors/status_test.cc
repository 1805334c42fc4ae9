#include "doors/status.h"

#include <gtest/gtest.h>

namespace sluice::doors {
namespace {

using limiter::Reason;

TEST(Status, EveryReasonHasItsOwnRow) {
  for (size_t i = 0; i < kStatusTable.size(); ++i) EXPECT_EQ(static_cast<size_t>(kStatusTable[i].reason), i);
  EXPECT_EQ(kStatusTable.size(), static_cast<size_t>(Reason::kStoreUnavailable) + 1);
}

TEST(Status, ARejectionIs429AndAStoreThatIsAwayIs503) {
  EXPECT_EQ(http_status({}), 200);
  for (const Reason reason :
       {Reason::kExceeded, Reason::kCostExceedsCapacity, Reason::kKillSwitch, Reason::kMissingKey}) {
    EXPECT_EQ(status_row(reason).status, 429);
  }
  EXPECT_EQ(status_row(Reason::kStoreUnavailable).status, 503);
}

TEST(Status, WhereNoTypeFitsTheTitleIsThePhraseOfTheStatus) {
  for (const StatusRow& row : kStatusTable) {
    if (row.problem_type != kNoType) continue;
    EXPECT_EQ(row.problem_title, row.status == 429 ? "Too Many Requests" : "OK");
  }
}

}  // namespace
}  // namespace sluice::doors
