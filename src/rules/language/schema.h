// The rule language as a JSON Schema (draft 2020-12), for editors: made from the table.
#pragma once

#include <string>

namespace sluice::rules {

std::string rules_schema();

}  // namespace sluice::rules
