// Where Redis is, as its URL says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::redis {

// One server: a host by name or number and a port, or a local socket.
struct Address {
  std::string host;
  uint16_t port = 0;
  std::string path;

  bool is_local() const { return !path.empty(); }
  bool operator==(const Address&) const = default;
};

// `redis.example.com:6379`, `[::1]:6379`, `unix:/run/redis.sock`
std::string to_text(const Address& address);

struct Credentials {
  std::string user;  // empty: the server's default user
  std::string password;
};

enum class Kind : uint8_t { kSingle, kSentinel, kCluster };

struct Place {
  Kind kind = Kind::kSingle;
  bool is_encrypted = false;
  std::vector<Address> addresses;  // of the server; of the sentinels; of some nodes of the Cluster
  std::string master;              // its name among the sentinels
  Credentials credentials;
  Credentials sentinel_credentials;
  int database = 0;
};

// redis://[[user]:password@]host[:port][/db]            one server; a user without a password is none
// redis+unix://[[user]:password@]/path[?db=N]           the same, on a local socket
// redis+sentinel://[[user]:password@]host[:port],host[:port]/master-name[/db][?sentinel_user=U&sentinel_password=P]
// redis+cluster://[[user]:password@]host[:port],host[:port]
// and rediss://, rediss+sentinel://, rediss+cluster:// with TLS. Users and passwords are percent-encoded.
// The text says what is wrong and what is expected; it never has the password.
std::variant<Place, std::string> read_place(std::string_view url);

bool is_place(std::string_view text);

// The URL for people: without user and password.
std::string to_text(const Place& place);

}  // namespace sluice::redis
