#include "redis_servers/server.h"

#include <signal.h>

#include <fstream>
#include <sstream>

#include "net/endpoint.h"

namespace sluice::redis_testing {

uint16_t free_port() {
  // A Cluster's bus has the port 10000 above.
  for (;;) {
    const auto listener = net::listen_on({"127.0.0.1", 0, ""});
    const uint16_t port = net::bound_to(std::get<net::Descriptor>(listener).get()).port;
    if (port <= 55'000) return port;
  }
}

Server::Server(std::vector<std::string> settings) : port_(free_port()), settings_(std::move(settings)) { start(); }

void Server::start() {
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
  if (is_there && process_->is_running()) return;
  std::stringstream log;
  log << std::ifstream(folder_.file("log")).rdbuf();
  give_up("redis-server did not start:\n" + log.str());
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
