#include "redis_servers/fake_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <variant>

#include "net/endpoint.h"

namespace sluice::redis_testing {
namespace {

constexpr int kTickMs = 5;

}  // namespace

FakeServer::FakeServer(std::vector<std::string> answers)
    : answers_(std::move(answers)),
      listener_(std::get<net::Descriptor>(net::listen_on({"127.0.0.1", 0, ""}))),
      port_(net::bound_to(listener_.get()).port),
      thread_([this] { serve(); }) {}

FakeServer::~FakeServer() {
  is_over_ = true;
  thread_.join();
}

void FakeServer::serve() {
  while (!is_over_) {
    pollfd source{listener_.get(), POLLIN, 0};
    if (poll(&source, 1, kTickMs) <= 0) continue;
    const net::Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) continue;
    ++connections_;
    answer(client.get());
  }
}

void FakeServer::answer(int client) {
  for (const std::string& answer : answers_) {
    for (pollfd source{client, POLLIN, 0}; poll(&source, 1, kTickMs) == 0;) {
      if (is_over_) return;
    }
    char bytes[1 << 14];
    if (recv(client, bytes, sizeof(bytes), 0) <= 0) return;
    if (send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return;
  }
}

}  // namespace sluice::redis_testing
