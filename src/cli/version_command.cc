#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace sluice::cli {

int print_version() {
  Output out;
  out.write("sluice " SLUICE_VERSION "\n");
  return out.finish();
}

Action version_command(CLI::App&) { return print_version; }

}  // namespace sluice::cli
