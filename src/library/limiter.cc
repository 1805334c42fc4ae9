#include "sluice/limiter.h"

#include <algorithm>
#include <array>
#include <new>

#include "stores/memory/memory_store.h"

namespace sluice {

using memory::MemoryStore;

static_assert(Limiter::kMaxTakes == MemoryStore::kMaxTakes);

struct Limiter::Parts {
  Clock& clock;
  std::unique_ptr<MemoryStore> store;
  std::array<Limit, kMaxTakes> limits;
  uint32_t count;

  // One take for each of the key's limits.
  struct Takes {
    std::array<Take, kMaxTakes> all;
    size_t count;
    operator std::span<const Take>() const { return {all.data(), count}; }  // NOLINT
  };
  Takes takes_of(std::string_view key, Tokens cost) const {
    Takes takes;
    takes.count = count;
    for (uint32_t i = 0; i < count; ++i) takes.all[i] = {key, &limits[i], cost, i};
    return takes;
  }
};

Limiter::Limiter(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Limiter::Limiter(Limiter&&) noexcept = default;
Limiter& Limiter::operator=(Limiter&&) noexcept = default;
Limiter::~Limiter() = default;

Result<Limiter> Limiter::create(std::span<const Limit> limits, const Options& options) {
  if (limits.empty()) return Error{ErrorCode::kTooSmall, "limits"};
  if (limits.size() > kMaxTakes) return Error{ErrorCode::kTooMany, "limits"};
  Clock& clock = options.clock != nullptr ? *options.clock : system_clock();
  auto store = MemoryStore::create({options.max_bytes, options.huge_pages});
  if (!store) return store.error();
  auto parts = std::unique_ptr<Parts>(new (std::nothrow)
                                          Parts{clock, std::move(*store), {}, static_cast<uint32_t>(limits.size())});
  if (parts == nullptr) return Error{ErrorCode::kOutOfMemory, "limiter"};
  std::copy(limits.begin(), limits.end(), parts->limits.begin());
  return Limiter(std::move(parts));
}

Decision Limiter::take(std::string_view key, Tokens cost) {
  Parts& parts = *parts_;
  if (parts.count == 1) return parts.store->take({key, parts.limits.data(), cost}, parts.clock);
  return parts.store->take_all(parts.takes_of(key, cost), parts.clock.now());
}

void Limiter::take_each(std::span<const std::string_view> keys, std::span<Decision> decisions, Tokens cost) {
  Parts& parts = *parts_;
  const Instant now = parts.clock.now();
  if (parts.count > 1) {
    for (size_t i = 0; i < keys.size(); ++i) decisions[i] = parts.store->take_all(parts.takes_of(keys[i], cost), now);
    return;
  }
  parts.store->take_each(keys, {{}, parts.limits.data(), cost}, decisions, now);
}

Result<Decision> Limiter::take_all(std::span<const Take> takes) {
  if (takes.size() > kMaxTakes) return Error{ErrorCode::kTooMany, "takes"};
  return parts_->store->take_all(takes, parts_->clock.now());
}

Decision Limiter::peek(std::string_view key, Tokens cost) {
  return parts_->store->peek(parts_->takes_of(key, cost), parts_->clock.now());
}

Result<Decision> Limiter::peek_all(std::span<const Take> takes) {
  if (takes.size() > kMaxTakes) return Error{ErrorCode::kTooMany, "takes"};
  return parts_->store->peek(takes, parts_->clock.now());
}

void Limiter::refund(std::string_view key, Tokens cost) { refund_all(parts_->takes_of(key, cost)); }

void Limiter::refund_all(std::span<const Take> takes) {
  const Instant now = parts_->clock.now();
  for (const Take& take : takes) parts_->store->refund(take, now);
}

void Limiter::reset(std::string_view key) {
  const Parts::Takes takes = parts_->takes_of(key, kOneToken);
  for (const Take& take : std::span<const Take>(takes)) parts_->store->reset(take);
}

Instant Limiter::wait_until(std::string_view key, Tokens cost) {
  const Instant now = parts_->clock.now();
  const Decision decision = parts_->store->peek(parts_->takes_of(key, cost), now);
  return decision.verdict == Verdict::kCostExceedsCapacity ? Instant(INT64_MAX) : now + decision.retry_after;
}

Duration Limiter::time_to_full(std::string_view key) {
  const Parts::Takes takes = parts_->takes_of(key, kOneToken);
  Duration longest;
  for (const Take& take : std::span<const Take>(takes)) {
    const Duration time = time_to_full(take);
    if (time > longest) longest = time;
  }
  return longest;
}

Duration Limiter::time_to_full(const Take& take) { return parts_->store->time_to_full(take, parts_->clock.now()); }

Limiter::Stats Limiter::stats() const {
  const memory::Stats stats = parts_->store->stats();
  return {stats.keys, stats.bytes, stats.reclaimed, stats.shared};
}

Clock& Limiter::clock() const { return parts_->clock; }

}  // namespace sluice
