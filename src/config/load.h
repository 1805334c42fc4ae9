// Settings from flags, environment, file and defaults, in this order of precedence. Strict: what is not understood is a
// fault, and all faults are told in one run, also those of values that another layer overrides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault.h"
#include "config/layers.h"
#include "config/settings.h"

namespace sluice::config {

// Where a value came from, and how it was written.
struct Origin {
  Layer layer = Layer::kDefault;
  std::string where;  // "sluice.yaml:3:11", "SLUICE_HTTP_LISTEN", "--http-listen"; empty for a default
  std::string text;   // empty for a secret
};

struct Loaded {
  Wish wish = Wish::kServe;
  std::optional<Settings> settings;  // nothing when there are faults
  std::vector<Origin> origins;       // in the order of the table
  std::vector<Fault> faults;         // of the file, of the environment, of flags, and of how values go together
  std::vector<Fault> warnings;       // what can be served, and should be looked at
};

struct Surroundings {
  std::span<const std::string> arguments;    // behind `sluice serve`
  std::span<const std::string> environment;  // `NAME=value` each
};

// Reads the config file and the files of secrets, and no other.
Loaded load(const Surroundings& surroundings);

// Everything as the table has it, as if nothing were set.
Loaded load_defaults();

// A file's text alone, over the defaults. `file` is its name in faults.
Loaded load_text(std::string_view text, const std::string& file, documents::Format format);

// As environ(7) has it.
std::vector<std::string> copy_environment(const char* const* environment);

}  // namespace sluice::config
