// A Cluster: who has which slot, as its nodes say, and a link to each master.
//
// The map is asked of any node that is up: at the start, every so often, and soon after anything went wrong. Until then
// it is corrected by what nodes say when they are asked for what they do not have.
#pragma once

#include <memory>
#include <vector>

#include "redis/inquiry.h"
#include "redis/router.h"
#include "redis/slots_reply.h"

namespace sluice::redis {

class ClusterRouter final : public Router {
 public:
  ClusterRouter(const Surroundings& surroundings, Dispatch& dispatch);
  ~ClusterRouter() override { close(); }

  void start() override;
  void close() override;
  Link* link_for(uint16_t slot) override;
  Link* link_at(const Address& address) override;
  void on_moved(uint16_t slot, Link& to) override;
  void on_trouble() override { refresh_soon(); }
  void on_change(Link& link) override;
  std::optional<Address> some_server() const override;
  std::vector<const Link*> links() const override;
  std::string why() const override { return why_; }

 private:
  struct Node {
    std::unique_ptr<Link> link;
    int64_t needed_ns = 0;  // when a slot or a node last named it
  };

  Node& node_at(const Address& address);
  Link* any_link();
  void refresh_soon();
  void refresh();
  void scout();
  void on_slots(const Link& asked, const Reply* reply);
  void adopt(const std::vector<SlotRange>& ranges);
  void forget_nodes_without_slots(int64_t now_ns);
  bool is_whole() const;

  const Surroundings around_;
  Dispatch& dispatch_;
  const Greeting greeting_;
  Inquiry inquiry_;
  Alarm refresh_;
  std::vector<Node> nodes_;
  std::vector<Link*> slots_ = std::vector<Link*>(kSlots, nullptr);
  std::vector<Address> known_;  // also replicas, and those of the URL
  size_t next_ = 0;             // node to ask
  size_t next_known_ = 0;
  int64_t refreshed_ns_ = 0;
  bool has_map_ = false;
  bool is_closed_ = false;
  std::string why_;
};

}  // namespace sluice::redis
