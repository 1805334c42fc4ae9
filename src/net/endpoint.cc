#include "net/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace sluice::net {
namespace {

constexpr int kBacklog = 4096;

// Any address there is, as the kernel takes it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

bool make_local(const std::string& path, SocketAddress& address) {
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  if (path.size() >= sizeof(local.sun_path)) return false;
  local.sun_family = AF_UNIX;
  memcpy(local.sun_path, path.c_str(), path.size() + 1);
  address.size = sizeof(sockaddr_un);
  return true;
}

bool make_numeric(const Endpoint& endpoint, SocketAddress& address) {
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, endpoint.host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(endpoint.port);
    address.size = sizeof(sockaddr_in);
    return true;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, endpoint.host.c_str(), &six.sin6_addr) != 1) return false;
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(endpoint.port);
  address.size = sizeof(sockaddr_in6);
  return true;
}

std::string host_of(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, text, sizeof(text));
  } else if (address.family() == AF_INET6) {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
    // On a socket for both, the other kind comes in disguise.
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&six);
    inet_ntop(is_mapped ? AF_INET : AF_INET6, is_mapped ? &six.s6_addr[12] : &six.s6_addr[0], text, sizeof(text));
  }
  return text;
}

uint16_t port_of(const SocketAddress& address) {
  if (address.family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address.storage).sin_port);
  if (address.family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_port);
  return 0;
}

std::string what_to_do(const Endpoint& endpoint, int error) {
  switch (error) {
    case EADDRINUSE: return "another program listens there; stop it, or choose another address";
    case EACCES:
      return endpoint.is_local() ? "no right to create that file"
                                 : "ports below 1024 need the capability CAP_NET_BIND_SERVICE; choose a higher one";
    case EADDRNOTAVAIL: return "this machine does not have that address";
    default: return strerror(error);
  }
}

std::string refusal(const Endpoint& endpoint, int error) {
  return "cannot listen on " + to_text(endpoint) + ": " + what_to_do(endpoint, error);
}

// A socket file that nobody listens to is left over from a process that was killed.
void remove_stale(SocketAddress address, const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(probe.get(), address.get(), address.size) != 0 && errno == ECONNREFUSED) unlink(path.c_str());
}

bool turn_on(int fd, int option) {
  const int on = 1;
  return setsockopt(fd, SOL_SOCKET, option, &on, sizeof(on)) == 0;
}

enum class Port : uint8_t { kAlone, kShared };

// 0, or why not.
int bind_to(SocketAddress& address, Port port, Descriptor& fd) {
  fd = Descriptor(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  if (address.family() != AF_UNIX) {
    // Connections of a process that has gone keep no port.
    if (!turn_on(fd.get(), SO_REUSEADDR)) return errno;
    if (port == Port::kShared && !turn_on(fd.get(), SO_REUSEPORT)) return errno;
  }
  return bind(fd.get(), address.get(), address.size) == 0 ? 0 : errno;
}

}  // namespace

std::string to_text(const Endpoint& endpoint) {
  if (endpoint.is_local()) return "unix:" + endpoint.path;
  const bool is_six = endpoint.host.find(':') != std::string::npos;
  return (is_six ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::variant<Descriptor, std::string> listen_on(const Endpoint& endpoint) {
  SocketAddress address;
  if (endpoint.is_local()) {
    if (!make_local(endpoint.path, address)) return refusal(endpoint, ENAMETOOLONG);
    remove_stale(address, endpoint.path);
  } else if (!make_numeric(endpoint, address)) {
    return "cannot listen on " + to_text(endpoint) + ": the host must be a numeric address";
  }
  Descriptor fd;
  int error = 0;
  // A shared port would be shared with any other program of this user too: so first it is tried alone.
  if (!endpoint.is_local() && endpoint.port != 0) error = bind_to(address, Port::kAlone, fd);
  fd = Descriptor();
  if (error == 0) error = bind_to(address, Port::kShared, fd);
  if (error == 0 && listen(fd.get(), kBacklog) != 0) error = errno;
  // A machine without the newer kind of address has the older one.
  if (error == EAFNOSUPPORT && endpoint.host == "::") return listen_on({"0.0.0.0", endpoint.port, ""});
  if (error != 0) return refusal(endpoint, error);
  return fd;
}

std::variant<Descriptor, std::string> listen_beside(int fd) {
  int is_shared = 0;
  socklen_t size = sizeof(is_shared);
  getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &is_shared, &size);
  SocketAddress address;
  address.size = sizeof(address.storage);
  int error = getsockname(fd, address.get(), &address.size) == 0 ? 0 : errno;
  Descriptor beside;
  if (error == 0 && is_shared != 0 && address.family() != AF_UNIX) {
    error = bind_to(address, Port::kShared, beside);
    if (error == 0 && listen(beside.get(), kBacklog) != 0) error = errno;
  } else if (error == 0) {
    beside = Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!beside) error = errno;
  }
  if (error != 0) return refusal(bound_to(fd), error);
  return beside;
}

Endpoint bound_to(int fd) {
  SocketAddress address;
  address.size = sizeof(address.storage);
  if (getsockname(fd, address.get(), &address.size) != 0) return {};
  if (address.family() == AF_UNIX) return {"", 0, reinterpret_cast<sockaddr_un&>(address.storage).sun_path};
  return {host_of(address), port_of(address), ""};
}

std::string peer_address(int fd, uint16_t& port) {
  SocketAddress address;
  address.size = sizeof(address.storage);
  if (getpeername(fd, address.get(), &address.size) != 0) return {};
  port = port_of(address);
  return host_of(address);
}

bool is_local_socket(int fd) {
  int family = 0;
  socklen_t size = sizeof(family);
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX;
}

}  // namespace sluice::net
