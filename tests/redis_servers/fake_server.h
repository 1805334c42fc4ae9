// Says what a test wants, whatever it is asked. One client after another, on a port of loopback.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "net/descriptor.h"

namespace sluice::redis_testing {

class FakeServer {
 public:
  // One answer for each piece that comes, in order; after the last one the connection is closed. Then from the start.
  explicit FakeServer(std::vector<std::string> answers);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void serve();
  void answer(int client);

  const std::vector<std::string> answers_;
  net::Descriptor listener_;
  uint16_t port_;
  std::atomic<bool> is_over_{false};
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace sluice::redis_testing
