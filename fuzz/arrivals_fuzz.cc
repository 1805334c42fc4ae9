// Any text is either refused at a place within it, or a schedule whose work and time are bounded.
#include <stddef.h>
#include <stdint.h>

#include <string_view>

#include "simulate/arrivals.h"

namespace {

using namespace sluice;
using namespace sluice::simulate;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_refusal(const SyntaxError& error, std::string_view text) {
  require(error.character >= 1 && error.character <= text.size() + 1);
  require(!error.message.empty() && error.message.size() < 200);
}

void check_schedule(const Schedule& schedule) {
  require(schedule.requests() <= kMostArrivals);
  require(schedule.end().ns >= 0 && schedule.end().ns <= kLongestSchedule.ns);
  Instant expected_start;
  for (const Phase& phase : schedule.phases) {
    require(phase.start == expected_start);
    expected_start = phase.end();
    if (phase.ticks == 0) continue;
    require(phase.cost.micros() > 0);
    require(phase.tick(0) == phase.start);
    const Instant last = phase.tick(phase.ticks - 1);
    require(last >= phase.start && (last < phase.end() || phase.length.ns == 0));
    // Nor does one more tick fit in.
    if (phase.length.ns > 0) require(phase.tick(phase.ticks) >= phase.end());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_arrivals(text, kOneToken);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    check_refusal(*error, text);
  } else {
    check_schedule(std::get<Schedule>(parsed));
  }
  const auto duration = parse_duration(text);
  if (const auto* error = std::get_if<SyntaxError>(&duration)) check_refusal(*error, text);
  return 0;
}
