// Holds a tree to the table: unknown and duplicate fields, wrong types, numbers out of range, bad choices, what is
// missing. What a field means together with others is the builders' to check.
#pragma once

#include <optional>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/language/spec.h"

namespace sluice::rules::language {

// Everything below `node` that the table alone can tell. A node of the wrong kind is a fault of its own.
void check_object(const documents::Node& node, const ObjectSpec& object, const Path& path, Faults& faults);

// What is wrong with a field's value itself, not with what is inside it.
std::optional<Problem> problem_of(const documents::Node& value, const FieldSpec& field);

// Which of a thing's two forms an object is written in.
const ObjectSpec& form_of(const documents::Node& node, const ObjectSpec& object);

}  // namespace sluice::rules::language
