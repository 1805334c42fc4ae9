#include "cli/simulate_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "cli/command.h"
#include "cli/quantities.h"
#include "simulate/arrivals.h"

namespace sluice::cli {
namespace {

using simulate::SyntaxError;

constexpr const char* kArrivalsHint = "e.g. '60/s for 2s, idle 5s, 100 at once'";

Failure bad_usage(std::string message, std::string hint = "") {
  return {std::move(message), std::move(hint), kBadUsage};
}

// What is no number at all is not a finite one either.
double number_in(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return error == std::errc() ? number : std::strtod(text.c_str(), nullptr);
}

Failure bad_number(const char* flag, const std::string& text, Error error) {
  error.field = flag + 2;
  return bad_usage(fmt::format("{} '{}': {}", flag, text, describe(error)));
}

// Fills a plan step by step; each step fails with the first thing wrong.
class Understanding {
 public:
  explicit Understanding(SimulateFlags flags) : flags_(std::move(flags)) {}

  std::variant<SimulatePlan, Failure> result() {
    if (combination() && defaults() && numbers() && arrivals() && window() && limits() && style())
      return std::move(plan_);
    return std::move(*failure_);
  }

 private:
  bool fail(Failure failure) {
    failure_ = std::move(failure);
    return false;
  }

  bool combination() {
    if (flags_.json && flags_.csv) {
      return fail(bad_usage("sluice simulate: --json and --csv exclude each other", "choose one of them"));
    }
    const bool has_own = !flags_.rate.empty() || !flags_.burst.empty() || !flags_.arrivals.empty();
    if (flags_.demo && has_own) {
      return fail(bad_usage("sluice simulate: --demo brings its own rate, burst and arrivals",
                            "leave out either --demo, or --rate, --burst and --arrivals"));
    }
    return true;
  }

  bool defaults() {
    if (flags_.demo) {
      flags_.rate = "10";
      flags_.burst = "50";
      flags_.arrivals = "60/s for 2s, idle 5s, 100 at once";
      if (flags_.algorithms.empty()) flags_.algorithms = "all";
    }
    if (flags_.algorithms.empty()) flags_.algorithms = name_of(Algorithm::kTokenBucket);
    const std::pair<const char*, const std::string*> required[] = {
        {"--rate", &flags_.rate}, {"--burst", &flags_.burst}, {"--arrivals", &flags_.arrivals}};
    for (const auto& [name, value] : required) {
      if (value->empty()) {
        return fail(bad_usage(fmt::format("sluice simulate: {} is missing", name),
                              "sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s', or --demo"));
      }
    }
    return true;
  }

  bool numbers() {
    const auto rate = Rate::per_second(number_in(flags_.rate));
    if (!rate) return fail(bad_number("--rate", flags_.rate, rate.error()));
    const auto burst = capacity_of(number_in(flags_.burst));
    if (!burst) return fail(bad_number("--burst", flags_.burst, burst.error()));
    const auto cost = cost_of(number_in(flags_.cost));
    if (!cost) return fail(bad_number("--cost", flags_.cost, cost.error()));
    plan_.options.rate = *rate;
    plan_.options.burst = *burst;
    cost_ = *cost;
    plan_.rate = flags_.rate;
    plan_.burst = flags_.burst;
    plan_.cost = flags_.cost;
    return true;
  }

  bool arrivals() {
    auto parsed = simulate::parse_arrivals(flags_.arrivals, cost_);
    if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
      return fail(
          bad_usage(fmt::format("arrivals: at character {}: {}", error->character, error->message), kArrivalsHint));
    }
    plan_.schedule = std::get<simulate::Schedule>(std::move(parsed));
    plan_.arrivals = flags_.arrivals;
    return true;
  }

  bool window() {
    if (flags_.window.empty()) return true;
    const auto parsed = simulate::parse_duration(flags_.window);
    if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
      return fail(bad_usage(fmt::format("window: at character {}: {}", error->character, error->message), "e.g. '5s'"));
    }
    plan_.options.window = std::get<Duration>(parsed);
    return true;
  }

  bool limits() {
    std::vector<Algorithm> algorithms;
    if (!named_algorithms(algorithms)) return false;
    const bool any_window = std::any_of(algorithms.begin(), algorithms.end(), simulate::has_window);
    if (plan_.options.window && !any_window) {
      return fail(bad_usage(fmt::format("--window {}: none of the chosen algorithms has a window", flags_.window),
                            "add --algorithm fixed_window, or leave --window out"));
    }
    for (const Algorithm algorithm : algorithms) {
      auto limit = simulate::limit_for(algorithm, plan_.options);
      if (!limit) return fail(bad_window(algorithm, limit.error()));
      plan_.limits.push_back(*limit);
    }
    return true;
  }

  bool named_algorithms(std::vector<Algorithm>& algorithms) {
    if (flags_.algorithms == "all") {
      algorithms.assign(simulate::kAlgorithms.begin(), simulate::kAlgorithms.end());
      return true;
    }
    for (size_t start = 0; start <= flags_.algorithms.size();) {
      const size_t end = std::min(flags_.algorithms.find(',', start), flags_.algorithms.size());
      const std::string name = flags_.algorithms.substr(start, end - start);
      const auto algorithm = simulate::algorithm_named(name);
      if (!algorithm) return fail(bad_usage(fmt::format("--algorithm: there is no algorithm '{}'", name), choices()));
      if (std::find(algorithms.begin(), algorithms.end(), *algorithm) == algorithms.end()) {
        algorithms.push_back(*algorithm);
      }
      start = end + 1;
    }
    return true;
  }

  static std::string choices() {
    std::string text = "choose from ";
    for (const Algorithm algorithm : simulate::kAlgorithms) text += std::string(name_of(algorithm)) + ", ";
    return text + "or all";
  }

  // The numbers were valid, so what is left to be wrong is the window they make.
  Failure bad_window(Algorithm algorithm, const Error& error) const {
    const auto bucket = Limit::token_bucket(plan_.options.rate, plan_.options.burst);
    const std::string window = plan_.options.window
                                   ? "--window " + flags_.window
                                   : "burst / rate = " + short_duration(bucket->window(), Rounding::kUp);
    return bad_usage(fmt::format("{}: {}: {}", name_of(algorithm), window, describe(error)),
                     "give another --window, or choose algorithms without one: token_bucket,leaky_bucket,leaky_queue");
  }

  bool style() {
    plan_.wishes.no_color = flags_.no_color;
    if (flags_.width.empty()) return true;
    const double width = number_in(flags_.width);
    if (!(width >= kNarrowest && width <= kWidest)) {
      return fail(bad_usage(
          fmt::format("--width '{}': must be a number of columns from {} to {}", flags_.width, kNarrowest, kWidest)));
    }
    plan_.wishes.width = static_cast<int>(width);
    return true;
  }

  SimulateFlags flags_;
  SimulatePlan plan_;
  Tokens cost_;
  std::optional<Failure> failure_;
};

}  // namespace

std::variant<SimulatePlan, Failure> understand(SimulateFlags flags) { return Understanding(std::move(flags)).result(); }

}  // namespace sluice::cli
