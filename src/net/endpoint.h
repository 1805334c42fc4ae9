// Where connections come in: an address of this machine, as the kernel knows it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "net/descriptor.h"

namespace sluice::net {

// A port of a numeric host, or a local socket.
struct Endpoint {
  std::string host;  // `127.0.0.1`, `::1`; empty where there is a path
  uint16_t port = 0;
  std::string path;

  bool is_local() const { return !path.empty(); }
};

// `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/sluice.sock`
std::string to_text(const Endpoint& endpoint);

// Listens where nobody else does. The text says what failed and what to do.
std::variant<Descriptor, std::string> listen_on(const Endpoint& endpoint);

// A second listener at the same place, for another event loop: on a port of its own kind if the first one shares its
// port, so that the kernel spreads connections over them; else the same socket once more.
std::variant<Descriptor, std::string> listen_beside(int fd);

// Where a listening socket is bound: tells the port that the kernel chose for port 0.
Endpoint bound_to(int fd);

// The address at the other end, and its port; empty for a local socket.
std::string peer_address(int fd, uint16_t& port);
// Whether it is of the family of local sockets; also where the other end is gone.
bool is_local_socket(int fd);

}  // namespace sluice::net
