// Why a request was decided as it was, as JSON: what `sluice check --explain --json` and /admin/v1/explain say.
#pragma once

#include "doors/json_writer.h"
#include "limiter/answer.h"
#include "rules/explain.h"

namespace sluice::doors {

// One JSON object: {"decision": {...}, "explain": {"client", "token", "rules": [...]}}. Shows keys.
void write_explanation(JsonWriter& json, const limiter::Answer& answer, const rules::Report& report);

}  // namespace sluice::doors
