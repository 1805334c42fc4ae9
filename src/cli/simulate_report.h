// What `sluice simulate` prints: for people a table and charts, for programs JSON or CSV.
#pragma once

#include "cli/output.h"
#include "cli/simulate_options.h"

namespace sluice::cli {

void print_report(const SimulatePlan& plan, const Style& style, Output& out);

// Programs get every request with its decision, in exact numbers. Written as it is computed, so any length will do.
void print_json(const SimulatePlan& plan, Output& out);
void print_csv(const SimulatePlan& plan, Output& out);

}  // namespace sluice::cli
