#include "limiter/reservations.h"

#include <charconv>
#include <cstdio>

namespace sluice::limiter {
namespace {

// So that a handle is known for one in a log.
constexpr std::string_view kPrefix = "rsv-";
constexpr size_t kDigits = 16;

bool read_hex(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Reservations::Reservations(Options options) : options_(options) {}

bool Reservations::has_room(Instant now) {
  if (size() < options_.most) return true;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    forget_expired(shard, now);
  }
  return size() < options_.most;
}

std::string Reservations::keep(Reservation reservation, Instant expires) {
  const size_t number = next_.fetch_add(1, std::memory_order_relaxed) % kShards;
  Shard& shard = shards_[number];
  const std::lock_guard lock(shard.mutex);
  const auto draw = [&] { return static_cast<uint64_t>(shard.random()) << 32 | shard.random(); };
  // The first word ends in the number of its shard.
  const Handle handle{draw() / kShards * kShards + number, draw()};
  shard.kept.insert_or_assign(handle, Kept{std::move(reservation), expires});
  shard.expiries.insert({expires, handle});
  size_.fetch_add(1, std::memory_order_relaxed);
  return text_of(handle);
}

std::optional<Reservation> Reservations::take(std::string_view text, Instant now) {
  const auto handle = parse(text);
  if (!handle) return std::nullopt;
  Shard& shard = shards_[(*handle)[0] % kShards];
  const std::lock_guard lock(shard.mutex);
  forget_expired(shard, now);
  const auto found = shard.kept.find(*handle);
  if (found == shard.kept.end()) return std::nullopt;
  Reservation reservation = std::move(found->second.reservation);
  shard.expiries.erase({found->second.expires, *handle});
  shard.kept.erase(found);
  size_.fetch_sub(1, std::memory_order_relaxed);
  return reservation;
}

void Reservations::forget_expired(Shard& shard, Instant now) {
  while (!shard.expiries.empty() && shard.expiries.begin()->at <= now) {
    shard.kept.erase(shard.expiries.begin()->handle);
    shard.expiries.erase(shard.expiries.begin());
    size_.fetch_sub(1, std::memory_order_relaxed);
  }
}

std::optional<Reservations::Handle> Reservations::parse(std::string_view text) {
  Handle handle{};
  if (text.size() != kPrefix.size() + 2 * kDigits || !text.starts_with(kPrefix)) return std::nullopt;
  const bool is_one = read_hex(text.substr(kPrefix.size(), kDigits), handle[0]) &&
                      read_hex(text.substr(kPrefix.size() + kDigits), handle[1]);
  return is_one ? std::optional(handle) : std::nullopt;
}

std::string Reservations::text_of(const Handle& handle) {
  char text[kPrefix.size() + 2 * kDigits + 1];
  std::snprintf(text, sizeof(text), "rsv-%016llx%016llx", static_cast<unsigned long long>(handle[0]),
                static_cast<unsigned long long>(handle[1]));
  return text;
}

}  // namespace sluice::limiter
