// A rejection as `application/problem+json` (RFC 9457), for callers who are told by status and body.
#pragma once

#include <string_view>

#include "doors/json_writer.h"
#include "doors/status.h"
#include "limiter/answer.h"

namespace sluice::doors {

inline constexpr std::string_view kProblemMediaType = "application/problem+json";

// One JSON object; docs/headers.md has its fields. `violated-policies` are names as RateLimit-Policy has them.
// REQUIRES: a rejection.
void write_problem(JsonWriter& json, const limiter::Answer& answer);
// For one that is not sent as the table of statuses says.
void write_problem(JsonWriter& json, const limiter::Answer& answer, const StatusRow& row);

// The same with all members of the decision in place of those few: for callers who asked for the decision itself.
// REQUIRES: a rejection.
void write_problem_with_decision(JsonWriter& json, const limiter::Answer& answer);

}  // namespace sluice::doors
