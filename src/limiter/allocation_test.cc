// A decision by rules allocates nothing once its memory has grown.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "limiter/limiter_testing.h"

namespace sluice::limiter {
namespace {

TEST(Allocation, DoesNotHappenInADecisionOnceMemoryHasGrown) {
  LimiterUnderTest sut;
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 5)), rule("path", {"path"}, per_second(1, 1000)),
                         rule("trial", {"method"}, per_second(1, 3))});
  rules->policies[0].rules[2].mode = rules::Mode::kShadow;
  sut.limiter.set_rules(rules);
  UserRequest request("ann");
  const uint64_t before_the_first = testing::allocations();
  sut.worker.decide(sut.check, *request, sut.now);
  EXPECT_GT(testing::allocations(), before_the_first) << "allocations are not counted";
  const uint64_t before = testing::allocations();
  int allowed = 0;
  for (int i = 0; i < 1000; ++i) {
    sut.worker.decide(sut.check, *request, sut.now);
    allowed += sut.check.answer().allowed ? 1 : 0;
  }
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(allowed, 4);
}

}  // namespace
}  // namespace sluice::limiter
