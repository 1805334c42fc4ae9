// The "limits" of a scenario file.
#pragma once

#include <string>

#include "scenario/fields.h"
#include "scenario/scenario.h"

namespace sluice::scenario {

// One limit's definition, e.g. {"algorithm": "token_bucket", "rate": 10, "burst": 50}. Throws ScenarioError.
Limit parse_limit(const nlohmann::json& definition, const std::string& where);

// `result`'s value, or its error as a ScenarioError.
template <class T>
T value_or_throw(Result<T> result, const std::string& where);

std::string reason_of(const Error& error);

template <class T>
T value_or_throw(Result<T> result, const std::string& where) {
  if (!result.ok()) throw ScenarioError(where, reason_of(result.error()));
  return *result;
}

}  // namespace sluice::scenario
