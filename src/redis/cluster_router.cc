#include "redis/cluster_router.h"

#include <algorithm>

namespace sluice::redis {
namespace {

constexpr int64_t kIntervalNs = 10'000 * kNsPerMs;
constexpr int64_t kTroubledIntervalNs = 250 * kNsPerMs;
constexpr int64_t kShortestNs = 100 * kNsPerMs;
// So long a node without slots is kept: it may be getting its first, or be giving its last answers.
constexpr int64_t kKeptNs = 5000 * kNsPerMs;

bool holds(const std::vector<Address>& addresses, const Address& address) {
  return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
}

}  // namespace

ClusterRouter::ClusterRouter(const Surroundings& surroundings, Dispatch& dispatch)
    : around_(surroundings),
      dispatch_(dispatch),
      greeting_(around_.options.place.credentials, 0, Greeting::Role::kAny, around_.options.preamble),
      inquiry_(dispatch, {"CLUSTER", "SLOTS"},
               [this](const Link& asked, const Reply* reply) { on_slots(asked, reply); }),
      refresh_(around_.alarms, [this] { refresh(); }),
      known_(around_.options.place.addresses) {}

void ClusterRouter::start() {
  for (const Address& address : known_) node_at(address);
}

void ClusterRouter::close() {
  is_closed_ = true;
  refresh_.cancel();
  std::fill(slots_.begin(), slots_.end(), nullptr);
  std::vector<Node> nodes = std::move(nodes_);
  nodes_.clear();
  for (Node& node : nodes) retire(around_.loop, std::move(node.link));
}

Link* ClusterRouter::link_for(uint16_t slot) {
  if (slot < kSlots && has_map_) return slots_[slot];
  // Before there is a map, any node will do: it knows who has the slot. But not if it has said that it does not.
  return why_.empty() ? any_link() : nullptr;
}

Link* ClusterRouter::any_link() {
  for (const Node& node : nodes_) {
    if (node.link->is_available()) return node.link.get();
  }
  return nullptr;
}

Link* ClusterRouter::link_at(const Address& address) { return is_closed_ ? nullptr : node_at(address).link.get(); }

ClusterRouter::Node& ClusterRouter::node_at(const Address& address) {
  auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](Node& node) { return node.link->address() == address; });
  const bool is_new = found == nodes_.end();
  if (is_new) {
    nodes_.push_back({std::make_unique<Link>(around_, address, greeting_), 0});
    found = std::prev(nodes_.end());
  }
  found->needed_ns = monotonic_ns();
  Link& link = *found->link;
  // It may fail at once, and that may bring other nodes.
  if (is_new) link.start();
  return *std::find_if(nodes_.begin(), nodes_.end(), [&](Node& node) { return node.link.get() == &link; });
}

void ClusterRouter::on_moved(uint16_t slot, Link& to) {
  slots_[slot] = &to;
  refresh_soon();
}

void ClusterRouter::on_change(Link& link) {
  if (!link.is_up() || !has_map_ || !is_whole()) refresh_soon();
}

void ClusterRouter::refresh_soon() {
  if (is_closed_) return;
  refresh_.set_if_earlier(std::max(monotonic_ns(), refreshed_ns_ + kShortestNs));
}

void ClusterRouter::refresh() {
  if (inquiry_.is_under_way()) return refresh_.set(monotonic_ns() + kShortestNs);
  refreshed_ns_ = monotonic_ns();
  refresh_.set(refreshed_ns_ + kTroubledIntervalNs);  // unless an answer comes
  for (size_t tries = nodes_.size(); tries > 0; --tries) {
    next_ = (next_ + 1) % nodes_.size();
    Link& link = *nodes_[next_].link;
    if (link.is_up() && inquiry_.ask(link)) return;
  }
  scout();
}

// Nobody is up: one of those who were ever named may be.
void ClusterRouter::scout() {
  for (size_t tries = known_.size(); tries > 0; --tries) {
    next_known_ = (next_known_ + 1) % known_.size();
    const size_t before = nodes_.size();
    node_at(known_[next_known_]);
    if (nodes_.size() != before) return;
  }
}

void ClusterRouter::on_slots(const Link& asked, const Reply* reply) {
  if (is_closed_) return;
  const auto ranges = reply != nullptr ? read_slots(*reply, asked.address()) : std::nullopt;
  if (ranges && !ranges->empty()) {
    adopt(*ranges);
  } else if (reply != nullptr && !has_map_) {
    const bool is_error = reply->is_error();
    why_ = to_text(asked.address()) + " does not know a Cluster" + (is_error ? ": " + std::string(reply->text()) : "");
  }
  refresh_.set(refreshed_ns_ + (has_map_ && is_whole() ? kIntervalNs : kTroubledIntervalNs));
  dispatch_.update_status();
}

void ClusterRouter::adopt(const std::vector<SlotRange>& ranges) {
  std::vector<Link*> slots(kSlots, nullptr);
  known_ = around_.options.place.addresses;
  for (const SlotRange& range : ranges) {
    Link* const link = node_at(range.master).link.get();
    std::fill(slots.begin() + range.first, slots.begin() + range.last + 1, link);
    if (!holds(known_, range.master)) known_.push_back(range.master);
    for (const Address& replica : range.replicas) {
      if (!holds(known_, replica)) known_.push_back(replica);
    }
  }
  slots_.swap(slots);
  has_map_ = true;
  why_.clear();
  forget_nodes_without_slots(monotonic_ns());
}

void ClusterRouter::forget_nodes_without_slots(int64_t now_ns) {
  const auto is_idle = [&](const Node& node) {
    const bool is_asked = std::find(slots_.begin(), slots_.end(), node.link.get()) != slots_.end();
    return !is_asked && (!node.link->is_available() || now_ns - node.needed_ns > kKeptNs);
  };
  const auto idle = std::stable_partition(nodes_.begin(), nodes_.end(), [&](Node& node) { return !is_idle(node); });
  std::vector<Node> forgotten(std::make_move_iterator(idle), std::make_move_iterator(nodes_.end()));
  nodes_.erase(idle, nodes_.end());
  for (Node& node : forgotten) retire(around_.loop, std::move(node.link));
}

// Whether every slot has somebody to ask.
bool ClusterRouter::is_whole() const {
  return std::all_of(slots_.begin(), slots_.end(), [](const Link* link) { return link && link->is_available(); });
}

std::optional<Address> ClusterRouter::some_server() const {
  for (const Node& node : nodes_) {
    if (node.link->is_up()) return node.link->address();
  }
  return std::nullopt;
}

std::vector<const Link*> ClusterRouter::links() const {
  std::vector<const Link*> all;
  for (const Node& node : nodes_) all.push_back(node.link.get());
  return all;
}

}  // namespace sluice::redis
