// From what `match` and kill switches say to Conditions, in the one spelling that the matcher compares with.
#pragma once

#include <optional>
#include <vector>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// One condition for each source of a `match` object, in its order.
std::vector<Condition> build_match(const documents::Node& match, const Path& path, Faults& faults);

// `value` is a value, a list of values, or an object with one operator.
std::optional<Condition> build_condition(const KeySource& source, const documents::Node& value, const Path& path,
                                         Faults& faults);

// What can be told of a value whose source is none: the faults that it would have with any.
void check_values(const documents::Node& value, const Path& path, Faults& faults);

}  // namespace sluice::rules::language
