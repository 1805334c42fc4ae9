#include "postgres/cutting_proxy.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "net/endpoint.h"

namespace sluice::postgres_testing {
namespace {

// How soon a change of plans, or the end, is noticed.
constexpr int kTickMs = 2;

net::Descriptor connect_to(const std::string& path) {
  net::Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return net::Descriptor();
  return fd;
}

}  // namespace

CuttingProxy::CuttingProxy(std::string server_socket)
    : server_socket_(std::move(server_socket)),
      listener_(std::get<net::Descriptor>(net::listen_on({"127.0.0.1", 0, ""}))),
      port_(net::bound_to(listener_.get()).port),
      thread_([this] { serve(); }) {}

CuttingProxy::~CuttingProxy() {
  is_over_ = true;
  thread_.join();
}

std::string CuttingProxy::url_for(const std::string& url) const {
  return url.substr(0, url.find('?')).insert(url.find("@/") + 1, "127.0.0.1:" + std::to_string(port_));
}

void CuttingProxy::arrange(int64_t to_server, int64_t to_client, bool is_silent) {
  is_silent_ = is_silent;
  passed_[kToServer] = passed_[kToClient] = 0;
  most_[kToServer] = to_server;
  most_[kToClient] = to_client;
}

void CuttingProxy::serve() {
  while (!is_over_) {
    pollfd source{listener_.get(), POLLIN, 0};
    if (poll(&source, 1, kTickMs) <= 0) continue;
    const net::Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const net::Descriptor server = connect_to(server_socket_);
    if (client && server) relay(client.get(), server.get());
  }
}

void CuttingProxy::relay(int client, int server) {
  while (!is_over_) {
    const bool reads_client = passed_[kToServer] < most_[kToServer];
    const bool reads_server = passed_[kToClient] < most_[kToClient];
    if (!is_silent_ && (!reads_client || !reads_server)) return;
    // A descriptor below 0 is not waited for.
    pollfd sources[2] = {{reads_client ? client : -1, POLLIN, 0}, {reads_server ? server : -1, POLLIN, 0}};
    if (poll(sources, 2, kTickMs) <= 0) continue;
    if (sources[0].revents != 0 && !pass(client, server, kToServer)) return;
    if (sources[1].revents != 0 && !pass(server, client, kToClient)) return;
  }
}

bool CuttingProxy::pass(int from, int to, Direction direction) {
  char bytes[1 << 14];
  const int64_t room = std::min<int64_t>(sizeof bytes, most_[direction] - passed_[direction]);
  const ssize_t size = recv(from, bytes, static_cast<size_t>(room), 0);
  if (size <= 0) return false;
  // Counted before anybody can know of them: whoever then counts anew counts none of them.
  passed_[direction] += size;
  for (ssize_t done = 0; done < size;) {
    const ssize_t written = send(to, bytes + done, static_cast<size_t>(size - done), MSG_NOSIGNAL);
    if (written <= 0) return false;
    done += written;
  }
  return true;
}

}  // namespace sluice::postgres_testing
