#include <nlohmann/json.hpp>
#include <optional>

#include "cli/quantities.h"
#include "cli/simulate_report.h"
#include "simulate/simulation.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;
using simulate::Arrival;
using simulate::Summary;

double number(const std::string& exact) { return std::strtod(exact.c_str(), nullptr); }

Json millis(Duration duration) { return number(exact_millis(duration)); }

Json config_of(const SimulatePlan& plan) {
  return {{"rate", number(plan.rate)},
          {"burst", number(plan.burst)},
          {"cost", number(plan.cost)},
          {"arrivals", plan.arrivals},
          {"duration_ms", millis(plan.schedule.end() - Instant())}};
}

// In the terms of the algorithm: a rate for buckets, a window for windows.
Json limit_of(const Limit& limit) {
  Json json{{"capacity", number(exact_tokens(limit.capacity()))}};
  if (simulate::has_window(limit.algorithm())) {
    json["window_ms"] = millis(limit.window());
  } else {
    json["rate"] = limit.rate().as_double();
  }
  return json;
}

Json summary_of(const Summary& summary) {
  const bool has_wait = summary.rejected > summary.impossible;
  return {{"requests", summary.requests},
          {"allowed", summary.allowed},
          {"rejected", summary.rejected},
          {"cost_exceeds_capacity", summary.impossible},
          {"allowed_percent", summary.requests == 0 ? Json()
                                                    : Json(100.0 * static_cast<double>(summary.allowed) /
                                                           static_cast<double>(summary.requests))},
          {"first_rejection_ms", summary.first_rejection ? millis(*summary.first_rejection - Instant()) : Json()},
          {"longest_wait_ms", has_wait ? millis(summary.longest_wait) : Json()},
          {"longest_delay_ms", millis(summary.longest_delay)}};
}

// A request and its decision as exact text.
struct Record {
  std::string at_ms, cost, remaining, delay_ms;
  std::optional<std::string> retry_after_ms;  // none when it can never pass
  bool allowed;
};

Record record_of(const Arrival& arrival, const Decision& decision) {
  Record record{exact_millis(arrival.at - Instant()),
                exact_tokens(arrival.cost),
                exact_tokens(decision.remaining),
                exact_millis(decision.delay),
                {},
                decision.allowed()};
  if (decision.verdict != Verdict::kCostExceedsCapacity) record.retry_after_ms = exact_millis(decision.retry_after);
  return record;
}

}  // namespace

void print_json(const SimulatePlan& plan, Output& out) {
  out.print("{{\"config\":{},\n \"algorithms\":[", config_of(plan).dump());
  const char* between_limits = "";
  for (const Limit& limit : plan.limits) {
    out.print("{}\n  {{\"algorithm\":\"{}\",\"limit\":{},\n   \"summary\":{},\n   \"requests\":[", between_limits,
              name_of(limit.algorithm()), limit_of(limit).dump(), summary_of(summarize(limit, plan.schedule)).dump());
    const char* between = "";
    simulate::simulate(limit, plan.schedule, [&](const Arrival& arrival, const Decision& decision) {
      const Record record = record_of(arrival, decision);
      out.print(
          "{}\n    {{\"at_ms\":{},\"cost\":{},\"allowed\":{},\"remaining\":{},\"retry_after_ms\":{},\"delay_ms\":{}}}",
          between, record.at_ms, record.cost, record.allowed, record.remaining, record.retry_after_ms.value_or("null"),
          record.delay_ms);
      between = ",";
      return out.is_open();
    });
    out.write("]}");
    between_limits = ",";
  }
  out.write("]}\n");
}

void print_csv(const SimulatePlan& plan, Output& out) {
  out.write("algorithm,at_ms,cost,allowed,remaining,retry_after_ms,delay_ms\n");
  for (const Limit& limit : plan.limits) {
    const char* name = name_of(limit.algorithm());
    simulate::simulate(limit, plan.schedule, [&](const Arrival& arrival, const Decision& decision) {
      const Record record = record_of(arrival, decision);
      out.print("{},{},{},{},{},{},{}\n", name, record.at_ms, record.cost, record.allowed, record.remaining,
                record.retry_after_ms.value_or(""), record.delay_ms);
      return out.is_open();
    });
  }
}

}  // namespace sluice::cli
