// A decision as JSON: the body of /v1/check and of all doors that answer in JSON. docs/headers.md has its fields.
#pragma once

#include "doors/json_writer.h"
#include "limiter/answer.h"

namespace sluice::doors {

struct DecisionDetails {
  // Keys can be secrets, such as API keys; only those who may see them ask for them.
  bool keys = false;
};

// One JSON object. Waits are in milliseconds, rounded up, and null where no wait helps or none is known.
void write_decision(JsonWriter& json, const limiter::Answer& answer, DecisionDetails details = {});

// Only what stands between the braces, for an object that has members of its own.
void write_decision_members(JsonWriter& json, const limiter::Answer& answer, DecisionDetails details = {});

}  // namespace sluice::doors
