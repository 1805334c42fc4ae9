// Where a door listens, as settings write it. Values; no name is ever resolved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/fault.h"

namespace sluice::config {

struct Address {
  std::string host;  // numeric, as inet_ntop writes it; empty for every address of the machine
  uint16_t port = 0;
  std::string path;  // of a local socket; then there is no host and no port

  bool is_local_socket() const { return !path.empty(); }
  // Whether only this machine can reach it.
  bool is_loopback() const;
  // As parse_addresses() reads it.
  std::string text() const;

  friend bool operator==(const Address&, const Address&) = default;
};

// Empty: the door is off.
using Addresses = std::vector<Address>;

// `off`, or one or several of `host:port`, `[::1]:port`, `:port` and `unix:/path` with commas between them. A host is a
// numeric address, or `localhost` for 127.0.0.1.
std::variant<Addresses, Problem> parse_addresses(std::string_view text);

}  // namespace sluice::config
