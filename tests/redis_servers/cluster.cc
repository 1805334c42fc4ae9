#include "redis_servers/cluster.h"

#include <algorithm>
#include <sstream>

namespace sluice::redis_testing {

Cluster::Cluster(Replicas replicas) {
  const size_t count = replicas == Replicas::kNone ? 3 : 6;
  std::vector<std::string> words = {"redis-cli", "--cluster", "create"};
  for (size_t i = 0; i < count; ++i) {
    nodes_.push_back(std::make_unique<Server>(std::vector<std::string>{
        "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0"}));
    words.push_back(nodes_.back()->address());
  }
  for (const char* const word : {"--cluster-replicas", replicas == Replicas::kNone ? "0" : "1", "--cluster-yes"}) {
    words.emplace_back(word);
  }
  const std::string said = run(words);
  const bool is_whole = wait_until([&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
      return node->ask({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
    });
  });
  const bool has_replicas = !is_whole || replicas == Replicas::kNone || wait_until([&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
      return node->info("role") == "master" ? node->info("connected_slaves") == "1"
                                            : node->info("master_link_status") == "up";
    });
  });
  if (!is_whole || !has_replicas) give_up("no Cluster:\n" + said);
}

Server& Cluster::owner_of(uint16_t slot) {
  Server* owner = nullptr;
  if (!wait_until([&] { return (owner = find_owner_of(slot)) != nullptr; })) {
    give_up("nobody has the slot " + std::to_string(slot));
  }
  return *owner;
}

Server* Cluster::find_owner_of(uint16_t slot) {
  // Lines of: id address@bus flags master ping pong epoch state 0-5460 ...
  std::istringstream lines(nodes_[slot < 8192 ? nodes_.size() - 1 : 0]->ask({"CLUSTER", "NODES"}));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("master") == std::string::npos || line.find("fail") != std::string::npos) continue;
    std::istringstream words(line);
    std::string id, address, word;
    words >> id >> address;
    for (int skipped = 0; skipped < 6; ++skipped) words >> word;
    while (words >> word) {
      if (word.starts_with("[")) continue;
      const size_t dash = word.find('-');
      const int first = std::stoi(word);
      const int last = dash == std::string::npos ? first : std::stoi(word.substr(dash + 1));
      if (slot < first || slot > last) continue;
      for (const auto& node : nodes_) {
        if (address.starts_with(node->address() + "@")) return node.get();
      }
    }
  }
  return nullptr;
}

}  // namespace sluice::redis_testing
