#include "doors/resp/limit_cache.h"

namespace sluice::doors::resp {
namespace {

constexpr int64_t kLargestCapacity = 1'000'000'000;
constexpr int64_t kLongestPeriod = (int64_t{1} << 62) / 1'000'000'000;

}  // namespace

Result<Limit> limit_of(const LimitNumbers& numbers) {
  if (numbers.capacity > kLargestCapacity) return Error{ErrorCode::kTooLarge, "capacity"};
  if (numbers.period > kLongestPeriod) return Error{ErrorCode::kTooLarge, "period"};
  const auto rate = Rate::per(numbers.count, Duration::seconds(numbers.period));
  if (!rate) return rate.error();
  auto limit = Limit::token_bucket(*rate, Tokens::whole(numbers.capacity));
  // Waits that are cut would be told wrong.
  if (limit && limit->window() >= kForever) return Error{ErrorCode::kTooSmall, "rate"};
  return limit;
}

}  // namespace sluice::doors::resp
