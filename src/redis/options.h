// How Redis is to be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "net/tls.h"
#include "redis/place.h"

namespace sluice::redis {

struct Options {
  Place place;
  // From dialling to the answers of the first commands; finding the number of a name does not count.
  int64_t connect_ms = 20;
  // From send() until it is told, whatever has to be done meanwhile.
  int64_t request_ms = 20;
  // Commands, each as append_command() writes it, with which every connection begins. All must succeed.
  std::vector<std::string> preamble;
  // To the one server, or the master. With more than one, commands may overtake one another. A Cluster has one a node.
  size_t connections = 1;
  // Of one connection; beyond that, commands are refused.
  size_t most_under_way = 16384;
  size_t most_waiting_bytes = size_t{8} << 20;
  // For an encrypted place. Must outlive the client.
  const net::TlsClient* tls = nullptr;
  // That certificates must have; empty: the host that was dialled.
  std::string tls_name;
};

}  // namespace sluice::redis
