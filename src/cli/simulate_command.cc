#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/simulate_report.h"

namespace sluice::cli {
namespace {

constexpr const char* kHelp =
    "Arrivals are phases, one after another, with commas between them:\n"
    "  60/s for 2s              evenly spaced; per s, min, h or d\n"
    "  1 every 250ms for 3s     the same, said the other way; 5 every 1s come five at a time\n"
    "  100 at once              a burst\n"
    "  idle 5s                  nothing\n"
    "  ... costing 0.5          what each request of a phase takes, instead of --cost\n"
    "Durations end in ns, us, ms, s, m, min, h or d. Spaces are free, decimals are welcome.\n"
    "\n"
    "Window algorithms let `burst` pass per window of burst / rate; with --window W, rate x W per window.\n"
    "\n"
    "Examples:\n"
    "  sluice simulate --demo\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s, idle 5s, 100 at once'\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '12/s for 1m' --algorithm token_bucket,fixed_window\n"
    "  sluice simulate --rate 0.5 --burst 5 --arrivals '1 every 1s for 30s' --cost 0.8\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s' --csv > decisions.csv";

constexpr const char* kBeforeDemo =
    "A full bucket of 50 tokens, refilled at 10 a second, meets 60 requests a second\n"
    "for 2s, a rest of 5s, and 100 requests at once. Each algorithm has its own way:\n\n";

constexpr const char* kAfterDemo =
    "\nWhat to try next:\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s'   # one, larger\n"
    "  sluice simulate --rate 10 --burst 10 --arrivals '12/s for 10s'  # a bit too fast\n"
    "  sluice simulate --demo --csv                                    # every decision\n"
    "  sluice simulate --help                                          # more traffic\n";

void declare(CLI::App& app, SimulateFlags& flags) {
  app.add_option("--rate", flags.rate, "Tokens that come back per second, e.g. 10 or 0.5");
  app.add_option("--burst", flags.burst, "Tokens a full bucket holds: how much may come at once");
  app.add_option("--arrivals", flags.arrivals, "The traffic, e.g. '60/s for 2s, idle 5s, 100 at once'");
  app.add_option("--algorithm", flags.algorithms,
                 "One or more, with commas, or all: token_bucket (default), leaky_bucket, leaky_queue, fixed_window, "
                 "sliding_window_log, sliding_window_counter");
  app.add_option("--cost", flags.cost, "Tokens a request takes (default 1)");
  app.add_option("--window", flags.window, "Length of the windows of window algorithms, e.g. 5s");
  auto* json = app.add_flag("--json", flags.json, "Print every decision as JSON");
  app.add_flag("--csv", flags.csv, "Print every decision as CSV")->excludes(json);
  app.add_option("--width", flags.width, "Columns to draw in (default: the terminal's, else 80)");
  app.add_flag("--no-color", flags.no_color, "No colours; so does the NO_COLOR environment variable");
  auto* demo = app.add_flag("--demo", flags.demo, "A worked example, all algorithms side by side");
  for (const char* own : {"--rate", "--burst", "--arrivals"}) demo->excludes(app.get_option(own));
  app.footer(kHelp);
}

int print_for_people(const SimulateFlags& flags, const SimulatePlan& plan) {
  Output out;
  if (flags.demo) out.write(kBeforeDemo);
  print_report(plan, style_for(surroundings_of_stdout(), plan.wishes), out);
  if (flags.demo) out.write(kAfterDemo);
  return out.finish();
}

int simulate_traffic(const SimulateFlags& flags) {
  const auto understood = understand(flags);
  if (const auto* failure = std::get_if<Failure>(&understood)) return fail(*failure);
  const auto& plan = std::get<SimulatePlan>(understood);
  if (!flags.json && !flags.csv) return print_for_people(flags, plan);
  Output out;
  flags.json ? print_json(plan, out) : print_csv(plan, out);
  return out.finish();
}

}  // namespace

Action simulate_command(CLI::App& app) {
  const auto flags = std::make_shared<SimulateFlags>();
  declare(app, *flags);
  return [flags] { return simulate_traffic(*flags); };
}

}  // namespace sluice::cli
