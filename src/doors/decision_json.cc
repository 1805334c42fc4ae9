#include "doors/decision_json.h"

#include "doors/decision_fields.h"

namespace sluice::doors {

void write_decision(JsonWriter& json, const limiter::Answer& answer, DecisionDetails details) {
  write_decision_fields(json, answer, details);
}

void write_decision_members(JsonWriter& json, const limiter::Answer& answer, DecisionDetails details) {
  decision_fields::write_members(json, answer, details);
}

}  // namespace sluice::doors
