// Stands between a client and a PostgreSQL, and cuts, or falls silent, at the byte it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "net/descriptor.h"

namespace sluice::postgres_testing {

// On a port of loopback, before the server's local socket. One client after another.
class CuttingProxy {
 public:
  explicit CuttingProxy(std::string server_socket);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // The same database, through here.
  std::string url_for(const std::string& url) const;

  // Bytes count from the call on. Once so many have gone in one direction, both connections are closed.
  void cut_after_sent(int64_t bytes) { arrange(bytes, kNever, false); }
  void cut_after_received(int64_t bytes) { arrange(kNever, bytes, false); }
  // So many bytes of the server still come through; then none, and nothing is closed.
  void fall_silent_after(int64_t bytes) { arrange(kNever, bytes, true); }
  void stop_reading() { arrange(0, kNever, true); }
  void count_anew() { arrange(kNever, kNever, false); }

  int64_t sent() const { return passed_[kToServer]; }
  int64_t received() const { return passed_[kToClient]; }

 private:
  enum Direction { kToServer, kToClient };
  static constexpr int64_t kNever = INT64_MAX;

  void arrange(int64_t to_server, int64_t to_client, bool is_silent);
  void serve();
  void relay(int client, int server);
  bool pass(int from, int to, Direction direction);

  std::string server_socket_;
  net::Descriptor listener_;
  uint16_t port_ = 0;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_silent_{false};
  std::atomic<int64_t> most_[2] = {kNever, kNever};
  std::atomic<int64_t> passed_[2] = {0, 0};
  std::thread thread_;
};

}  // namespace sluice::postgres_testing
