// One bucket of a request: which, under which limit, and how much.
#pragma once

#include <string_view>

#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice {

// Neither the key nor the limit is copied: both must outlive the call.
struct Take {
  std::string_view key;
  const Limit* limit = nullptr;
  Tokens cost = kOneToken;
  // Tells several buckets of one key apart, e.g. 10/s and 1000/h.
  uint32_t part = 0;
};

}  // namespace sluice
