// How many servers share the buckets: each says every second that it is there, in a sorted set by Redis's own clock,
// and is told how many have in the last seconds. One thread, but for what says otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
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
  // Says that this one is there no more. For good.
  void leave();
  // That has arrived, or never will. Any thread.
  bool has_left() const { return has_left_.load(std::memory_order_relaxed); }

  // This one among them. The most that Redis has said in the last seconds of those in which it answered: one that comes
  // back without its data hears of one server after the other. Any thread.
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct Farewell final : redis::Request {
    explicit Farewell(Peers& of) : peers(of) {}
    void on_reply(const redis::Reply&) override { peers.has_left_.store(true, std::memory_order_relaxed); }
    void on_failure(redis::Failure) override { peers.has_left_.store(true, std::memory_order_relaxed); }

    Peers& peers;
  };

  void on_time(int64_t now_ms) override;
  void on_reply(const redis::Reply& reply) override;
  void on_failure(redis::Failure) override {}

  net::Loop& loop_;
  redis::Client& client_;
  std::atomic<uint32_t> count_{1};
  std::array<uint32_t, 6> last_counts_{};  // a second apart: five seconds
  size_t next_count_ = 0;
  Farewell farewell_{*this};
  std::atomic<bool> has_left_{false};
};

}  // namespace sluice::redis_store
