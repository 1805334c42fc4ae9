// Many networks, asked whether an address is in any of them: one binary search. Immutable.
#pragma once

#include <span>
#include <vector>

#include "rules/address.h"

namespace sluice::rules {

class NetworkSet {
 public:
  NetworkSet() = default;
  explicit NetworkSet(std::span<const Network> networks);

  bool contains(const Address& address) const;
  bool empty() const { return networks_.empty(); }

 private:
  std::vector<Network> networks_;  // sorted, and none within another
};

}  // namespace sluice::rules
