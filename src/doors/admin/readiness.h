// Whether a server should be sent requests, and what is wrong with it otherwise.
#pragma once

#include <string>

#include "doors/admin/sources.h"

namespace sluice::doors::admin {

struct Readiness {
  bool is_ready = true;
  std::string details;  // JSON; may show parts of the rules
  std::string summary;  // JSON that shows nothing
};

// Not ready: no rules where a file or table is set, or about to stop. Degraded: it has faults or its database is away,
// and the last good rules serve on, or the store that servers share is away, and the rules say what to do without it;
// that is still ready, since to take every server out for that would help nobody.
Readiness readiness_of(const RulesFigures& rules, const std::optional<FleetFigures>& fleet, bool is_draining);

}  // namespace sluice::doors::admin
