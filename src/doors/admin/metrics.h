// All figures of a server for Prometheus. docs/metrics.md has every family.
#pragma once

#include <string>

#include "doors/admin/sources.h"

namespace sluice::doors::admin {

// No label is what a client sent: policies, rules and doors, of which there are few.
std::string write_metrics(const Sources& sources);

}  // namespace sluice::doors::admin
