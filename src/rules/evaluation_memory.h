// What a match needs between its start and its end, and what it leaves. For the matcher alone.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/bucket_key.h"
#include "rules/evaluation.h"
#include "rules/reader.h"

namespace sluice::rules {

struct EvaluationMemory {
  // When a limit had a tier chosen: in which round, and among which rules.
  struct Tiers {
    uint64_t enforced = 0;
    uint64_t any = 0;
  };
  struct ParsedCost {
    uint64_t round = 0;
    std::optional<Tokens> cost;
  };
  // Beside each application: where its key is, which may still move, and its place in the file.
  struct Place {
    uint32_t order = 0;
    uint32_t application = 0;
    size_t key_begin = 0;
    size_t key_end = 0;
  };

  uint64_t round = 0;  // of which match a mark is
  Reader reader;
  std::vector<uint32_t> candidates;
  std::vector<Tiers> tiers;              // by Entry::tiers
  std::vector<ParsedCost> parsed_costs;  // by source
  KeyMemory keys;
  std::vector<Place> places;
  std::vector<Application> unsorted;

  std::vector<Application> applied;
  const KillSwitch* kill_switch = nullptr;
  SourceId killed_source = kNoSource;
  Application denied_by;
  std::vector<Application> denied_in_shadow;
};

}  // namespace sluice::rules
