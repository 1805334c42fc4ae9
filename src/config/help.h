// What people read about settings, made from the table.
#pragma once

#include <string>

#include "config/load.h"

namespace sluice::config {

// `sluice serve --help`.
std::string help_text();

// `sluice serve --print-config`: a config file in YAML with every setting, its value, where that came from, and what it
// is for. What it cannot say (secrets, what is empty) stands there as a comment. Loaded, it gives the same settings.
std::string annotated_config(const Loaded& loaded);

// docs/settings.md.
std::string settings_page();

}  // namespace sluice::config
