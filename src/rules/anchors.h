// Where a rule can be looked up. Of all that a rule asks of a request (a path, one of some hosts, one of some values
// of a header, ...) each is an anchor: a few keys, one of which any request that the rule is for must have.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/model.h"
#include "rules/source_table.h"

namespace sluice::rules {

// A question to a request, with one answer: the value of a source, or a part of it of this length.
struct Probe {
  enum class Kind : uint8_t {
    kWhole,       // the value
    kPresent,     // whether there is one
    kPrefix,      // its first `length` bytes
    kNetworkV4,   // the first `length` bits of the client's address
    kNetworkV6,   // likewise
    kPathPrefix,  // the first `length` segments of the path
    kHostSuffix,  // the last `length` labels of the host, if there are more
  };

  SourceId source = kPathSource;
  Kind kind = Kind::kWhole;
  uint32_t length = 0;

  // For hashes of answers: different probes give different hashes for the same answer.
  uint64_t seed() const;

  friend auto operator<=>(const Probe&, const Probe&) = default;
};

// The answer to kPresent.
inline constexpr std::string_view kPresent = "present";

// Of an answer. The lowest bit is always set.
inline uint64_t hash_answer(uint64_t seed, std::string_view answer) { return hash_bytes(seed, answer) | 1; }

// The bytes of an address as an answer.
inline std::string_view answer_of(const Address& address) {
  return {reinterpret_cast<const char*>(address.bytes.data()), address.bytes.size()};
}

struct AnchorKey {
  Probe probe;
  uint64_t hash = 0;
  size_t answer_size = 0;
};

using Anchor = std::vector<AnchorKey>;

// A request must have a value of this source.
Anchor anchor_of_presence(SourceId source);

// Every anchor that can be made of these; none if they hold for any request. Sources are put in the table.
std::vector<Anchor> anchors_of(const Selector& selector, const std::vector<const Condition*>& conditions,
                               SourceTable& sources);

}  // namespace sluice::rules
