#include "doors/admin/key_census.h"

#include <pthread.h>

#include <chrono>
#include <system_error>

#include "net/loop.h"

namespace sluice::doors::admin {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

KeyCensus::KeyCensus(size_t size, std::vector<telemetry::KeyFeed*> feeds)
    : size_(size), feeds_(std::move(feeds)), keys_(size) {}

KeyCensus::~KeyCensus() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stops_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void KeyCensus::start() {
  if (size_ == 0) return;
  try {
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "sluice-census");
  } catch (const std::system_error&) {
    // What is asked for then is counted from what the feeds still hold.
  }
}

void KeyCensus::run() {
  std::unique_lock lock(mutex_);
  while (!stops_.wait_for(lock, kInterval, [this] { return is_stopping_; })) collect();
}

void KeyCensus::collect() {
  for (telemetry::KeyFeed* feed : feeds_) keys_.collect(*feed);
  keys_.fade(net::monotonic_ms());
}

TopList KeyCensus::top(TopBy by, size_t most) {
  const std::lock_guard lock(mutex_);
  collect();
  const telemetry::HeavyHitters& list = by == TopBy::kRequests ? keys_.hottest() : keys_.most_rejected();
  return {list.total(), list.top(most)};
}

}  // namespace sluice::doors::admin
