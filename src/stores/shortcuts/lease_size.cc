#include "stores/shortcuts/lease_size.h"

#include <algorithm>

namespace sluice::shortcuts {
namespace {

constexpr int64_t kDemandShare = 2;
constexpr int64_t kRemainingShare = 8;
constexpr int64_t kFewestCosts = 2;

}  // namespace

void Demand::roll(Instant now, Duration window) {
  const Duration elapsed = now - start_;
  if (elapsed < window) return;
  const int64_t windows = elapsed.ns / window.ns;
  const int64_t last = smoothed_ == Tokens() ? current_.micros() : (current_ + smoothed_).micros() / 2;
  smoothed_ = Tokens::micros(windows > 62 ? 0 : last >> (windows - 1));
  current_ = Tokens();
  start_ = start_ + Duration(windows * window.ns);
}

Tokens lease_size(const stores::LeaseTerms& terms, const LeaseNeed& need) {
  const int64_t room = std::max<int64_t>(0, need.capacity.micros() - need.cost.micros());
  if (terms.kind == stores::LeaseTerms::Kind::kFixed) return Tokens::micros(std::min(terms.tokens.micros(), room));
  const int64_t wanted = need.demand.micros() / kDemandShare;
  const int64_t most = std::min({wanted, need.remaining.micros() / kRemainingShare, room});
  const int64_t cost = std::max<int64_t>(1, need.cost.micros());
  if (most / kFewestCosts < cost) return {};
  return Tokens::micros(most / cost * cost);
}

}  // namespace sluice::shortcuts
