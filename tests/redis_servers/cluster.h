// A Redis Cluster of a test's own: three masters with a third of the slots each, and a replica for each if wanted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "redis_servers/server.h"

namespace sluice::redis_testing {

class Cluster {
 public:
  enum class Replicas { kNone, kOne };

  explicit Cluster(Replicas replicas);

  // Of the first node.
  std::string url() const { return "redis+cluster://" + nodes_[0]->address(); }
  Server& node(size_t index) { return *nodes_[index]; }
  size_t size() const { return nodes_.size(); }
  // The master that has the slot, as the others know it; waits until they do.
  Server& owner_of(uint16_t slot);
  std::string id_of(Server& node) const { return node.ask({"CLUSTER", "MYID"}); }

 private:
  Server* find_owner_of(uint16_t slot);

  std::vector<std::unique_ptr<Server>> nodes_;
};

}  // namespace sluice::redis_testing
