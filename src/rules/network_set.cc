#include "rules/network_set.h"

#include <algorithm>
#include <tuple>

namespace sluice::rules {
namespace {

bool is_before(const Address& a, const Address& b) { return std::tie(a.is_v6, a.bytes) < std::tie(b.is_v6, b.bytes); }

}  // namespace

NetworkSet::NetworkSet(std::span<const Network> networks) {
  std::vector<Network> sorted(networks.begin(), networks.end());
  // Of two that begin alike the larger comes first.
  std::sort(sorted.begin(), sorted.end(), [](const Network& a, const Network& b) {
    return a.address == b.address ? a.bits < b.bits : is_before(a.address, b.address);
  });
  for (const Network& network : sorted) {
    if (networks_.empty() || !networks_.back().contains(network.address)) networks_.push_back(network);
  }
}

bool NetworkSet::contains(const Address& address) const {
  const auto behind = std::upper_bound(
      networks_.begin(), networks_.end(), address,
      [](const Address& wanted, const Network& network) { return is_before(wanted, network.address); });
  return behind != networks_.begin() && std::prev(behind)->contains(address);
}

}  // namespace sluice::rules
