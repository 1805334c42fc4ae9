// The least a server can do: one thread, one epoll, and the same reply to every command of the Redis protocol. What
// others spend above this is their own work; what this spends is mostly the kernel's.
//
//   bare_loop        prints the port it listens on, then serves until it is stopped
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kReply = "*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n";

struct Connection {
  int fd;
  std::string input;
};

// The number behind `*` or `$`, and where its line ends; -1 where there is no whole line.
long header(std::string_view bytes, size_t& at) {
  const size_t end = bytes.find('\n', at);
  if (end == std::string_view::npos) return -1;
  const long number = std::strtol(bytes.data() + at + 1, nullptr, 10);
  at = end + 1;
  return number;
}

// How long the command at `start` is; 0 where it has yet to end.
size_t command_size(std::string_view bytes, size_t start) {
  size_t at = start;
  const long count = header(bytes, at);
  if (count < 0) return 0;
  for (long i = 0; i < count; ++i) {
    const long size = header(bytes, at);
    if (size < 0 || at + static_cast<size_t>(size) + 2 > bytes.size()) return 0;
    at += static_cast<size_t>(size) + 2;
  }
  return at - start;
}

bool serve(Connection& connection) {
  static char buffer[65536];
  static std::string output;
  const ssize_t got = read(connection.fd, buffer, sizeof(buffer));
  if (got <= 0) return false;
  std::string_view bytes(buffer, static_cast<size_t>(got));
  if (!connection.input.empty()) bytes = connection.input.append(bytes);
  size_t at = 0;
  output.clear();
  for (size_t size = 0; (size = command_size(bytes, at)) > 0; at += size) output += kReply;
  std::string rest(bytes.substr(at));
  connection.input.swap(rest);
  return output.empty() || write(connection.fd, output.data(), output.size()) == static_cast<ssize_t>(output.size());
}

int listen_anywhere() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 512) != 0) return -1;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return fd;
}

void add(int epoll, int fd, Connection* connection) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

int main() {
  const int epoll = epoll_create1(0);
  const int listener = listen_anywhere();
  if (listener < 0) return 1;
  add(epoll, listener, nullptr);
  for (;;) {
    epoll_event events[256];
    const int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      auto* connection = static_cast<Connection*>(events[i].data.ptr);
      if (connection == nullptr) {
        const int fd = accept(listener, nullptr, nullptr);
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        add(epoll, fd, new Connection{fd, {}});
      } else if (!serve(*connection)) {
        close(connection->fd);
        delete connection;
      }
    }
  }
}
