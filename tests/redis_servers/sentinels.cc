#include "redis_servers/sentinels.h"

#include <fstream>

namespace sluice::redis_testing {
namespace {

constexpr int kSentinels = 3;

}  // namespace

Sentinels::Sentinels() {
  servers_.push_back(std::make_unique<Server>());
  const std::string master_port = std::to_string(servers_[0]->port());
  servers_.push_back(std::make_unique<Server>(std::vector<std::string>{"--replicaof", "127.0.0.1 " + master_port}));
  if (!wait_until([&] { return servers_[1]->info("master_link_status") == "up"; })) give_up("no replica");
  for (int i = 0; i < kSentinels; ++i) {
    ports_.push_back(free_port());
    const std::string file = folder_.file("sentinel" + std::to_string(i) + ".conf");
    std::ofstream(file) << "port " << ports_.back() << "\nbind 127.0.0.1\ndir " << folder_.path()
                        << "\nsentinel monitor main 127.0.0.1 " << master_port
                        << " 2\nsentinel down-after-milliseconds main 2000\nsentinel failover-timeout main 3000\n";
    sentinels_.push_back(
        std::make_unique<Process>(std::vector<std::string>{"redis-server", file, "--sentinel"}, folder_.file("log")));
  }
  // Each must know the other two and the replica before it can fail over.
  const bool is_ready = wait_until([&] {
    for (const uint16_t port : ports_) {
      const std::string state = run({"redis-cli", "-p", std::to_string(port), "SENTINEL", "MASTER", "main"});
      const bool knows_all =
          state.find("num-other-sentinels\n2") != std::string::npos && state.find("num-slaves\n1") != std::string::npos;
      if (!knows_all) return false;
    }
    return true;
  });
  if (!is_ready) give_up("the sentinels do not find one another");
}

std::string Sentinels::url() const {
  std::string url = "redis+sentinel://";
  for (size_t i = 0; i < ports_.size(); ++i) url += (i > 0 ? ",127.0.0.1:" : "127.0.0.1:") + std::to_string(ports_[i]);
  return url + "/main";
}

std::string Sentinels::ask(const std::vector<std::string>& words) const {
  std::vector<std::string> command = {"redis-cli", "-p", std::to_string(ports_.back())};
  command.insert(command.end(), words.begin(), words.end());
  return run(command);
}

std::string Sentinels::master() const {
  std::string lines = ask({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"});
  const size_t end = lines.find('\n');
  return end == std::string::npos ? lines : lines.replace(end, 1, ":");
}

void Sentinels::fail_over() const { ask({"SENTINEL", "FAILOVER", "main"}); }

}  // namespace sluice::redis_testing
