#include "telemetry/counter.h"

#include <gtest/gtest.h>

#include <thread>

namespace sluice::telemetry {
namespace {

TEST(Counter, NeverGoesBackForAReaderInAnotherThread) {
  Counter counter;
  std::thread reader([&] {
    uint64_t last = 0;
    while (last < 100'000) {
      const uint64_t now = counter.value();
      ASSERT_GE(now, last);
      last = now;
    }
  });
  for (int i = 0; i < 50'000; ++i) counter.add(2);
  reader.join();
  EXPECT_EQ(counter.value(), 100'000U);
}

}  // namespace
}  // namespace sluice::telemetry
