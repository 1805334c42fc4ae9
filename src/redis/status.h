// How connections to Redis are. Written by the loop that has them, read by any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "redis/place.h"
#include "telemetry/counter.h"

namespace sluice::redis {

struct Counts {
  telemetry::Counter sent;        // commands that were taken on
  telemetry::Counter refused;     // commands that were not: nobody to ask, or too many under way
  telemetry::Counter replies;     // told a reply
  telemetry::Counter timed_out;   // told so when their time was up
  telemetry::Counter failed;      // told of another failure
  telemetry::Counter redirected;  // MOVED or ASK
  telemetry::Counter retried;     // asked again: the server could not, just then
  telemetry::Counter connected;   // connections that came up
  telemetry::Counter lost;        // connections that were up, and ended
  telemetry::Counter failed_connects;
};

// What the circuit breaker of a server lets through.
enum class Breaker : uint8_t {
  kClosed,    // commands
  kHalfOpen,  // a connection is being tried
  kOpen,      // nothing, until it is time to try
};
const char* to_text(Breaker breaker);

struct ServerStatus {
  Address address;
  Breaker breaker = Breaker::kClosed;
  bool is_up = false;
  std::string why;                                // it is not: one sentence; of the last time if it is up
  std::chrono::system_clock::time_point since{};  // of the last change
};

struct Status {
  bool is_available = false;  // some server is up, and does not refuse what it is asked
  size_t connections_up = 0;
  std::vector<ServerStatus> servers;
  std::string why;  // why not, in one sentence
};

// Keeps the last status for other threads.
class StatusBoard {
 public:
  Status read() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  void write(Status status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
  }

 private:
  mutable std::mutex mutex_;  // for status_
  Status status_;
};

// Told on the loop's thread when a server has come or gone. Must not send or close anything.
class StatusListener {
 public:
  virtual void on_change(const ServerStatus& server) = 0;

 protected:
  ~StatusListener() = default;
};

}  // namespace sluice::redis
