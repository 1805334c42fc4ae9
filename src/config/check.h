// What settings must be together: what each of them allows alone was asked before.
#pragma once

#include "config/load.h"

namespace sluice::config {

// Adds to the faults and warnings of `loaded`, each at the place where the value came from.
void check(const Settings& settings, Loaded& loaded);

}  // namespace sluice::config
