// Who asks most and who is refused most, of all event loops: a thread of its own empties their feeds ten times a
// second.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "telemetry/top_keys.h"

namespace sluice::doors::admin {

enum class TopBy : uint8_t { kRequests, kRejections };

struct TopList {
  double total = 0;  // of all keys, those that are not kept too; fades as they do
  std::vector<telemetry::HeavyHitter> keys;
};

// Thread-safe.
class KeyCensus {
 public:
  // `size` keys for each list; 0: none are kept. The feeds must outlive it, and nobody else may drain them.
  KeyCensus(size_t size, std::vector<telemetry::KeyFeed*> feeds);
  ~KeyCensus();
  KeyCensus(const KeyCensus&) = delete;
  KeyCensus& operator=(const KeyCensus&) = delete;

  // Lets the thread go. Without it, or where the system gives none, feeds are emptied only when somebody asks.
  void start();

  // As of now, the highest first.
  TopList top(TopBy by, size_t most);
  size_t size() const { return size_; }

 private:
  void run();
  void collect();

  const size_t size_;
  const std::vector<telemetry::KeyFeed*> feeds_;
  std::mutex mutex_;  // for all below
  telemetry::TopKeys keys_;
  bool is_stopping_ = false;
  std::condition_variable stops_;
  std::thread thread_;
};

}  // namespace sluice::doors::admin
