#include "net/supervisor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace sluice::net {
namespace {

constexpr int kFirstHandedOver = 3;
constexpr int kMostHandedOver = 64;

std::string_view variable(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool is_listening_socket(int fd) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

// Takes the first of `a:b:c` off.
std::string take_name(std::string_view& names) {
  const size_t end = std::min(names.find(':'), names.size());
  std::string name(names.substr(0, end));
  names.remove_prefix(std::min(end + 1, names.size()));
  return name;
}

}  // namespace

std::vector<HandedOver> take_sockets() {
  std::vector<HandedOver> sockets;
  if (number(variable("LISTEN_PID")) == getpid()) {
    const int count = std::min(number(variable("LISTEN_FDS")), kMostHandedOver);
    std::string_view names = variable("LISTEN_FDNAMES");
    for (int i = 0; i < count; ++i) {
      const int fd = kFirstHandedOver + i;
      std::string name = take_name(names);
      if (!is_listening_socket(fd)) continue;
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
      sockets.push_back({std::move(name), Descriptor(fd)});
    }
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(name);
  return sockets;
}

void tell_supervisor(std::string_view state) {
  const std::string_view path = variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const Descriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), size);
}

}  // namespace sluice::net
