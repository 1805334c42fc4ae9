// From algorithm_config and limits to Limits and a Cost.
#pragma once

#include <optional>
#include <vector>

#include "rules/language/faults.h"
#include "rules/language/fields.h"
#include "rules/model.h"

namespace sluice::rules::language {

inline constexpr size_t kMostLimits = 8;

// Of a rule's own fields: `algorithm_config`, or `limits` with a cost beside them. Empty where there are faults.
std::vector<Limit> build_limits(const Fields& rule, const Path& path, Faults& faults);

Cost build_cost(const Fields& rule, const Path& path, Faults& faults);

// A bucket by its rate and burst, as both forms of a rule have them. Nothing if these are no limit together.
std::optional<Limit> bucket_limit(Algorithm algorithm, double tokens_per_second, double burst);

}  // namespace sluice::rules::language
