// For tests: who listens to a channel, and remembers the last message.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "redis/client_testing.h"
#include "redis/subscriber.h"

namespace sluice::redis {

class Listening final : public ChannelListener {
 public:
  Listening(ClientOnLoop& client, const std::string& channel) : client_(client) {
    client_.on_loop([&] { subscriber_ = std::make_unique<Subscriber>(client_.client(), channel, *this); });
  }
  ~Listening() {
    client_.on_loop([&] { subscriber_.reset(); });
  }

  bool comes_to(bool live) {
    return wait_until([&] { return is_live == live; });
  }
  bool hears(const std::string& message) {
    return wait_until([&] {
      const std::lock_guard lock(mutex_);
      return last_ == message;
    });
  }

  std::string why() {
    std::string text;
    client_.on_loop([&] { text = subscriber_->why(); });
    return text;
  }

  std::atomic<bool> is_live{false};

 private:
  void on_message(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    last_ = message;
  }
  void on_live(bool live) override { is_live = live; }

  ClientOnLoop& client_;
  std::mutex mutex_;
  std::string last_;
  std::unique_ptr<Subscriber> subscriber_;
};

}  // namespace sluice::redis
