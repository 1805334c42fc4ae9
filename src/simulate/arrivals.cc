#include "simulate/arrivals.h"

#include <utility>

#include "simulate/scanner.h"
#include "sluice/limit.h"

namespace sluice::simulate {
namespace {

constexpr std::string_view kADuration = "a duration such as '2s'";

Duration whole_ns(const Spacing& spacing) {
  return Duration(static_cast<int64_t>(spacing.numerator / spacing.denominator));
}

class Parser {
 public:
  Parser(std::string_view text, Tokens cost) : scanner_(text), cost_(cost) {}

  std::variant<Schedule, SyntaxError> parse() {
    do {
      scanner_.begin_phase();
    } while (phase() && scanner_.accept(","));
    if (!scanner_.error() && !scanner_.at_end()) scanner_.fail_expecting(ends_);
    if (scanner_.error()) return *scanner_.error();
    return std::move(schedule_);
  }

 private:
  bool phase() {
    const size_t position = scanner_.position();
    Phase phase;
    phase.start = schedule_.end();
    phase.cost = cost_;
    const bool is_idle = scanner_.accept("idle");
    if (!(is_idle ? idle(phase) : busy(phase) && costing(phase))) return false;
    ends_ = is_idle || had_cost_ ? "',' or the end" : "'costing', ',' or the end";
    return append(phase, position);
  }

  bool idle(Phase& phase) {
    scanner_.accept("for");
    return length(phase);
  }

  bool busy(Phase& phase) {
    const auto amount = scanner_.number("a number or 'idle'");
    if (!amount) return false;
    if (scanner_.accept("/")) return per_unit(phase, *amount);
    if (scanner_.accept("at")) return scanner_.expect("once") && at_once(phase, *amount);
    if (scanner_.accept("every")) return every(phase, *amount);
    return scanner_.fail_expecting("'/s', 'at once' or 'every'");
  }

  bool per_unit(Phase& phase, const Decimal& amount) {
    const auto unit = scanner_.rate_unit();
    if (!unit || !scanner_.expect("for") || !length(phase)) return false;
    phase.spacing = {static_cast<Wide>(unit->ns) * amount.scale, amount.digits};
    return fill(phase, 1, amount.position);
  }

  bool at_once(Phase& phase, const Decimal& amount) {
    if (!is_count(amount)) return false;
    phase.ticks = 1;
    phase.per_tick = static_cast<int64_t>(amount.digits / amount.scale);
    return true;
  }

  bool every(Phase& phase, const Decimal& amount) {
    if (!is_count(amount)) return false;
    const auto spacing = scanner_.duration(kADuration);
    if (!spacing || !scanner_.expect("for") || !length(phase)) return false;
    phase.spacing = *spacing;
    return fill(phase, static_cast<int64_t>(amount.digits / amount.scale), amount.position);
  }

  bool costing(Phase& phase) {
    had_cost_ = scanner_.accept("costing");
    if (!had_cost_) return true;
    const auto amount = scanner_.number("a number of tokens");
    if (!amount) return false;
    const auto cost = cost_of(amount->as_double());
    if (!cost) return scanner_.fail_about(amount->position, "a cost of at most 1e12 tokens");
    phase.cost = *cost;
    return true;
  }

  bool length(Phase& phase) {
    const auto spacing = scanner_.duration(kADuration);
    if (!spacing) return false;
    phase.length = whole_ns(*spacing);
    return true;
  }

  bool is_count(const Decimal& amount) {
    if (amount.is_whole()) return true;
    return scanner_.fail_about(amount.position, "a whole number of requests");
  }

  // As many ticks as begin before the phase ends.
  bool fill(Phase& phase, int64_t per_tick, size_t position) {
    const Wide scaled = static_cast<Wide>(phase.length.ns) * phase.spacing.denominator;
    const Wide ticks = (scaled + phase.spacing.numerator - 1) / phase.spacing.numerator;
    if (ticks > static_cast<Wide>(kMostArrivals)) return fail_too_many(position);
    phase.ticks = static_cast<int64_t>(ticks);
    phase.per_tick = per_tick;
    return true;
  }

  bool append(const Phase& phase, size_t position) {
    if (phase.ticks > 0 && phase.per_tick > kMostArrivals / phase.ticks) return fail_too_many(position);
    if (requests_ + phase.requests() > kMostArrivals) return fail_too_many(position);
    if (phase.length.ns > kLongestSchedule.ns - phase.start.ns) {
      return scanner_.fail_at(position, "all phases together may last at most 36600d; shorten this one");
    }
    requests_ += phase.requests();
    schedule_.phases.push_back(phase);
    return true;
  }

  bool fail_too_many(size_t position) {
    return scanner_.fail_at(position, "more than 10000000 requests in all; lower this rate or shorten the phase");
  }

  Scanner scanner_;
  Tokens cost_;
  Schedule schedule_;
  int64_t requests_ = 0;
  bool had_cost_ = false;
  std::string_view ends_;
};

}  // namespace

std::variant<Schedule, SyntaxError> parse_arrivals(std::string_view text, Tokens cost) {
  return Parser(text, cost).parse();
}

std::variant<Duration, SyntaxError> parse_duration(std::string_view text) {
  Scanner scanner(text);
  const auto spacing = scanner.duration(kADuration);
  if (spacing && !scanner.at_end()) scanner.fail_expecting("nothing more");
  if (scanner.error()) return *scanner.error();
  return whole_ns(*spacing);
}

}  // namespace sluice::simulate
