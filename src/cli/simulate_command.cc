#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/simulate_report.h"

namespace sluice::cli {
namespace {

constexpr const char* kHelp =
    "Arrivals are phases, one after another, with commas between them:\n"
    "  60/s for 2s              evenly spaced; per s, min, h or d\n"
    "  1 every 250ms for 3s     at each tick; '5 every 1s' comes five at a time\n"
    "  100 at once              a burst\n"
    "  idle 5s                  nothing\n"
    "  ... costing 0.5          what each request of a phase takes, instead of --cost\n"
    "Durations end in ns, us, ms, s, m, min, h or d. Spaces are free, decimals are welcome.\n"
    "\n"
    "Window algorithms let the burst pass once per window of burst / rate;\n"
    "with --window W, they let rate x W pass per window.\n"
    "\n"
    "Examples:\n"
    "  sluice simulate --demo\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s, idle 5s, 100 at once'\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '12/s for 1m' --algorithm all\n"
    "  sluice simulate --rate 0.5 --burst 5 --arrivals '1 every 1s for 30s' --cost 0.8\n"
    "  sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s' --csv > decisions.csv";

constexpr const char* kBeforeDemo[] = {
    "A full bucket of 50 tokens, refilled at 10 a second, meets 60 requests a second",
    "for 2s, a rest of 5s, and 100 requests at once. Each algorithm has its own way:"};

constexpr const char* kToTryNext[] = {
    " simulate --rate 10 --burst 50 --arrivals '60/s for 2s'   # larger\n",
    " simulate --rate 10 --burst 10 --arrivals '12/s for 10s'  # a bit fast\n",
    " simulate --demo --csv                                    # the data\n",
    " simulate --help                                          # your own\n",
};

// Lines that work when they are typed where this program was started.
std::string after_demo() {
  std::string text = "\nWhat to try next:\n";
  for (const char* line : kToTryNext) text += "  " + program() + line;
  return text;
}

void declare(CLI::App& app, SimulateFlags& flags) {
  const auto option = [&app](const char* name, std::string& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type);
  };
  option("--rate", flags.rate, "N", "Tokens that come back per second, e.g. 10 or 0.5");
  option("--burst", flags.burst, "N", "Tokens a full bucket holds: how much may come at once");
  option("--arrivals", flags.arrivals, "PHASES", "The traffic, e.g. '60/s for 2s, idle 5s, 100 at once'");
  option("--algorithm", flags.algorithms, "NAMES",
         "One or more, with commas, or all: token_bucket (default),\n"
         "leaky_bucket, leaky_queue, fixed_window,\n"
         "sliding_window_log, sliding_window_counter");
  option("--cost", flags.cost, "N", "Tokens a request takes (default 1)");
  option("--window", flags.window, "DURATION", "Length of the windows of window algorithms, e.g. 5s");
  app.add_flag("--json", flags.json, "Print every decision as JSON");
  app.add_flag("--csv", flags.csv, "Print every decision as CSV");
  option("--width", flags.width, "N", "Columns to draw in (default: the terminal's, else 80)");
  app.add_flag("--no-color", flags.no_color, "No colours; setting NO_COLOR does the same");
  app.add_flag("--demo", flags.demo, "A worked example, all algorithms side by side");
  app.footer(kHelp);
}

int print_for_people(const SimulateFlags& flags, const SimulatePlan& plan) {
  const Style style = style_for(surroundings_of_stdout(), plan.wishes);
  Output out;
  if (flags.demo) {
    for (const char* line : kBeforeDemo) out.write(wrapped(line, style.width));
    out.write("\n");
  }
  print_report(plan, style, out);
  if (flags.demo) out.write(after_demo());
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
