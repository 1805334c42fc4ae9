// From the two forms of a rule to the Rule that both mean.
#pragma once

#include <optional>
#include <string>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

struct BuiltRule {
  Rule rule;
  bool is_active = true;  // else it is checked, and left out
  bool is_whole = true;   // for whom it is was understood: it can be compared with others
};

// Name, keys, conditions and limits; the mode is the rule's own. REQUIRES: `node` is an object.
BuiltRule build_rule(const documents::Node& node, const Path& path, Faults& faults);
// The table form: key_pattern, rate_per_second, burst_capacity, plan.
BuiltRule build_table_row(const documents::Node& node, const Path& path, Faults& faults);

// Nothing, or what is wrong with a name made of letters, digits, `.`, `_`, `-` and those of `more`.
std::optional<Problem> bad_name(std::string_view field, std::string_view name, std::string_view more);

}  // namespace sluice::rules::language
