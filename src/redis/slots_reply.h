// What CLUSTER SLOTS answers: which node has which slots.
#pragma once

#include <optional>
#include <vector>

#include "redis/place.h"
#include "redis/reply.h"

namespace sluice::redis {

struct SlotRange {
  uint16_t first = 0;
  uint16_t last = 0;
  Address master;
  std::vector<Address> replicas;
};

// Nothing if it is no such answer. Nodes that do not say their host have the host of who was asked.
std::optional<std::vector<SlotRange>> read_slots(const Reply& reply, const Address& asked);

}  // namespace sluice::redis
