// Any bytes are either a scenario or a ScenarioError; and what parses can be replayed without a fault.
#include <cstdint>
#include <string>

#include "scenario/algorithms_home.h"
#include "scenario/parser.h"
#include "scenario/replay.h"

namespace {

// A file may ask for many repetitions; the fuzzer's time is better spent on others.
constexpr int64_t kMostRequests = 1'000;

int64_t requests_of(const sluice::scenario::Scenario& scenario) {
  int64_t requests = 0;
  for (const auto& step : scenario.steps) requests += step.repeat;
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace scenario = sluice::scenario;
  try {
    const auto parsed = scenario::parse_scenario(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    if (requests_of(parsed) > kMostRequests) return 0;
    scenario::AlgorithmsHome home(scenario::AlgorithmsHome::FullBuckets::kKept);
    for (const auto& mismatch : scenario::replay(parsed, home))
      (void)scenario::describe(mismatch, "fuzz", "Algorithms");
  } catch (const scenario::ScenarioError&) {
  }
  return 0;
}
