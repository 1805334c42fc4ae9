#include "doors/decision_json.h"

#include "doors/decision_fields.h"

namespace sluice::doors {

void write_decision(JsonWriter& json, const limiter::Answer& answer, DecisionDetails details) {
  write_decision_fields(json, answer, details);
}

}  // namespace sluice::doors
