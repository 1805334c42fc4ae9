// A master, its replica, and three sentinels that watch over them under the name `main`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "redis_servers/server.h"

namespace sluice::redis_testing {

class Sentinels {
 public:
  Sentinels();

  std::string url() const;
  // The two servers; the first one began as the master.
  Server& server(size_t index) { return *servers_[index]; }
  // The address of the master, as a sentinel says.
  std::string master() const;
  void fail_over() const;

 private:
  std::string ask(const std::vector<std::string>& words) const;

  std::vector<std::unique_ptr<Server>> servers_;
  Folder folder_;
  std::vector<uint16_t> ports_;
  std::vector<std::unique_ptr<Process>> sentinels_;
};

}  // namespace sluice::redis_testing
