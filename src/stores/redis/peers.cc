#include "stores/redis/peers.h"

#include <algorithm>

namespace sluice::redis_store {
namespace {

constexpr int64_t kEveryMs = 1'000;

// Who has not been heard of for five seconds is not counted.
constexpr std::string_view kScript = R"(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 5000)
redis.call('PEXPIRE', KEYS[1], 60000)
return redis.call('ZCARD', KEYS[1])
)";

}  // namespace

Peers::Peers(net::Loop& loop, redis::Client& client, std::string_view prefix, std::string_view name)
    : loop_(loop), client_(client) {
  const std::string key = std::string(prefix) + "{}servers";
  slot = redis::slot_of(key);
  redis::append_command(command, {"EVAL", kScript, "1", key, name});
  farewell_.slot = slot;
  redis::append_command(farewell_.command, {"ZREM", key, name});
}

void Peers::leave() {
  if (has_left() || farewell_.is_under_way()) return;
  loop_.timers().cancel(*this);
  if (!client_.send(farewell_)) has_left_.store(true, std::memory_order_relaxed);
}

void Peers::on_time(int64_t now_ms) {
  if (!is_under_way()) client_.send(*this);
  loop_.timers().set(*this, now_ms + kEveryMs);
}

void Peers::on_reply(const redis::Reply& reply) {
  if (!reply.is_integer()) return;
  last_counts_[next_count_] = static_cast<uint32_t>(std::clamp<int64_t>(reply.integer(), 1, UINT32_MAX));
  next_count_ = (next_count_ + 1) % last_counts_.size();
  count_.store(*std::max_element(last_counts_.begin(), last_counts_.end()), std::memory_order_relaxed);
}

}  // namespace sluice::redis_store
