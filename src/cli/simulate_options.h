// The options of `sluice simulate`: as typed, and as understood.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/output.h"
#include "cli/terminal.h"
#include "simulate/limits.h"
#include "simulate/schedule.h"

namespace sluice::cli {

struct SimulateFlags {
  std::string rate, burst, cost = "1", arrivals, algorithms, window, width;
  bool json = false, csv = false, no_color = false, demo = false;
};

// All valid: every limit can be simulated with the schedule.
struct SimulatePlan {
  std::string rate, burst, cost, arrivals;  // as typed, and known to be what they should
  simulate::Schedule schedule;
  simulate::LimitOptions options;
  std::vector<Limit> limits;
  StyleWishes wishes;
};

std::variant<SimulatePlan, Failure> understand(SimulateFlags flags);

}  // namespace sluice::cli
