// Which kind of value a plain scalar of YAML is, by the core schema of YAML 1.2.
#pragma once

#include "documents/document.h"

namespace sluice::documents {

// Fills kind, boolean and number from `node.text`.
void type_plain_scalar(Node& node);

}  // namespace sluice::documents
