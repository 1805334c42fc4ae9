// A redis-server of a test's own, on a free port of loopback and on a local socket. It keeps its port when restarted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "redis_servers/process.h"

namespace sluice::redis_testing {

uint16_t free_port();

class Server {
 public:
  // More settings, as the command line of redis-server takes them; they also hold after a restart.
  explicit Server(std::vector<std::string> settings = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Returns when it answers; also, if it still reads its data, when it says so.
  void start();
  // SIGKILL.
  void kill() { process_->kill(); }
  // Neither answers nor goes, until it may go on.
  void freeze() const;
  void thaw() const;

  uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "redis://" + address(); }
  std::string socket_path() const { return folder_.file("redis.sock"); }
  const Folder& folder() const { return folder_; }

  // What redis-cli prints.
  std::string ask(const std::vector<std::string>& words) const;
  // One line of INFO.
  std::string info(const std::string& name) const;

 private:
  // Starts it, and says whether that went well.
  bool runs();

  Folder folder_;
  uint16_t port_;
  std::vector<std::string> settings_;
  std::unique_ptr<Process> process_;
};

}  // namespace sluice::redis_testing
