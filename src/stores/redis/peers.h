// How many servers share the buckets: each says every second that it is there, in a sorted set by Redis's own clock,
// and is told how many have in the last seconds. One thread, but for count().
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/loop.h"
#include "redis/client.h"

namespace sluice::redis_store {

class Peers final : private redis::Request, private net::Timer {
 public:
  // Both must outlive it, and Client::close() comes before its end. `name` is this server's own.
  Peers(net::Loop& loop, redis::Client& client, std::string_view prefix, std::string_view name);

  // On the loop's thread, once it runs.
  void start() { on_time(loop_.now_ms()); }

  // This one among them. Stays as it was while Redis is away. Any thread.
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  void on_time(int64_t now_ms) override;
  void on_reply(const redis::Reply& reply) override;
  void on_failure(redis::Failure) override {}

  net::Loop& loop_;
  redis::Client& client_;
  std::atomic<uint32_t> count_{1};
};

}  // namespace sluice::redis_store
