#include "redis_servers/server.h"

#include <signal.h>

#include <fstream>
#include <random>
#include <sstream>
#include <variant>

#include "net/endpoint.h"

namespace sluice::redis_testing {

namespace {

bool is_free(int port) {
  return std::holds_alternative<net::Descriptor>(net::listen_on({"127.0.0.1", static_cast<uint16_t>(port), ""}));
}

constexpr int kBusOffset = 10'000;

}  // namespace

// Below those that the kernel gives to clients: else one of them may have it while a server restarts.
uint16_t free_port() {
  static std::mt19937 random{std::random_device{}()};
  for (;;) {
    const int port = std::uniform_int_distribution<int>(10'000, 22'000)(random);
    if (is_free(port) && is_free(port + kBusOffset)) return static_cast<uint16_t>(port);
  }
}

Server::Server(std::vector<std::string> settings) : port_(free_port()), settings_(std::move(settings)) {
  // Another test may have taken the port meanwhile.
  for (int tries = 0; tries < 5 && !runs(); ++tries) port_ = free_port();
  if (!process_->is_running()) start();
}

void Server::start() {
  if (runs()) return;
  std::stringstream log;
  log << std::ifstream(folder_.file("log")).rdbuf();
  give_up("redis-server did not start:\n" + log.str());
}

bool Server::runs() {
  std::vector<std::string> words = {"redis-server",
                                    "--port",
                                    std::to_string(port_),
                                    "--bind",
                                    "127.0.0.1",
                                    "--unixsocket",
                                    socket_path(),
                                    "--dir",
                                    folder_.path(),
                                    "--save",
                                    "",
                                    "--enable-debug-command",
                                    "yes",
                                    "--repl-diskless-sync-delay",
                                    "0",
                                    "--repl-timeout",
                                    "2"};
  words.insert(words.end(), settings_.begin(), settings_.end());
  process_ = std::make_unique<Process>(words, folder_.file("log"));
  const bool is_there = wait_until([&] {
    if (!process_->is_running()) return true;
    const std::string answer = ask({"PING"});
    return !answer.starts_with("Could not connect") && !answer.empty();
  });
  return is_there && process_->is_running();
}

void Server::freeze() const { process_->signal(SIGSTOP); }
void Server::thaw() const { process_->signal(SIGCONT); }

std::string Server::ask(const std::vector<std::string>& words) const {
  std::vector<std::string> command = {"redis-cli", "-s", socket_path()};
  command.insert(command.end(), words.begin(), words.end());
  return run(command);
}

std::string Server::info(const std::string& name) const {
  std::istringstream lines(ask({"INFO"}));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    while (!line.empty() && line.back() == '\r') line.pop_back();
    return line.substr(name.size() + 1);
  }
  return {};
}

}  // namespace sluice::redis_testing
