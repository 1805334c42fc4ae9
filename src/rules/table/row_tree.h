// A row as the tree that the language checks: the same as the rule or policy would be in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/language/spec.h"
#include "rules/table/row.h"

namespace sluice::rules {

inline constexpr std::string_view kRulePrefix = "rule:";
inline constexpr std::string_view kPolicyPrefix = "policy:";

enum class RowForm : uint8_t { kTable, kRule, kPolicy };

RowForm form_of(const Row& row);
const language::ObjectSpec& spec_of(RowForm form);

// What the database keeps beside `definition`, and how the tree calls what stands behind the prefix of key_pattern.
// Empty of the table form, which has no definition.
std::string_view name_field_of(RowForm form);

// `user:{user_id}@free`: what a person knows the row by.
std::string subject_of(const Row& row);
// `rule 7 (user:{user_id}@free)`.
std::string label_of(const Row& row);

// Positions are those in the text of `definition`; what comes from other columns has none (line 0). Nothing where
// that text is no object: faults then say so.
std::optional<documents::Node> tree_of(const Row& row, const language::Path& path, language::Faults& faults);

// The shortest number that reads back as this one.
std::string number_text(double number);

}  // namespace sluice::rules
