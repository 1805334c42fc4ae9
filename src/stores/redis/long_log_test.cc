// A sliding log of the greatest length, whose newest admissions are merged from then on, as in memory.
#include <gtest/gtest.h>

#include <cstring>

#include "stores/memory/memory_store.h"
#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;

constexpr int64_t kMost = memory::Annexes::kMaxLogSlots;
constexpr int64_t kStartUs = 1'700'000'000'000'000;

class LongLog : public testing::Test {
 protected:
  // The state as the script writes it, of `count` admissions, a microsecond apart.
  std::string state_of(int64_t count) const {
    std::string state(1, '\3');
    const uint16_t pace = limit_.pace();
    state.append(reinterpret_cast<const char*>(&pace), sizeof(pace));
    const auto append = [&](int64_t value) {
      const auto number = static_cast<double>(value);
      state.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    append(limit_.capacity().micros());
    append(limit_.window().ns / 1000);
    append(count * kOneToken.micros());
    for (int64_t i = 0; i < count; ++i) {
      append(kStartUs + i);
      append(kOneToken.micros());
    }
    return state;
  }

  void expect_same(Action action, Tokens cost, int64_t at_us) {
    const Take take{"k", &limit_, cost};
    const Instant now(at_us * 1000);
    EXPECT_PRED2(is_same, ask_one(script_, action, take, now), ask_one(*memory_, action, take, now)) << at_us;
  }

  const Limit limit_ = *Limit::sliding_window_log(Tokens::whole(kMost + 4), Duration::seconds(100));
  ScriptStore script_{shared_redis()};
  std::unique_ptr<memory::MemoryStore> memory_ = std::move(*memory::MemoryStore::create({}));
};

TEST_F(LongLog, IsAsLongAsInMemoryAndNoLonger) {
  const int64_t before = kMost - 2;
  const Take take{"k", &limit_};
  for (int64_t i = 0; i < before; ++i) ask_one(*memory_, Action::kTake, take, Instant((kStartUs + i) * 1000));
  shared_redis().command({"SET", "test{}0:k", state_of(before)});
  for (int64_t at = kStartUs + before; at < kStartUs + kMost + 6; ++at) expect_same(Action::kTake, kOneToken, at);
  EXPECT_EQ(shared_redis().command({"STRLEN", "test{}0:k"}).integer, 27 + 16 * kMost);
  expect_same(Action::kTake, Tokens::whole(50), kStartUs + kMost + 50);
  expect_same(Action::kRefund, Tokens::micros(3'500'000), kStartUs + kMost + 60);
  for (const int64_t later : {20, 21, 30'000, 65'535, 65'536, 70'000}) {
    expect_same(Action::kPeek, kOneToken, kStartUs + 100'000'000 + later);
    expect_same(Action::kTake, Tokens::whole(5), kStartUs + 100'000'000 + later);
  }
}

}  // namespace
}  // namespace sluice::redis_store
