// What somebody probably meant by a word that does not exist.
#pragma once

#include <string>
#include <string_view>

#include "documents/wording.h"
#include "rules/language/spec.h"

namespace sluice::rules::language {

using documents::nearest;

// "did you mean 'burst'?", how to write what other limiters call by this name, or which fields there are.
std::string hint_for_unknown_field(std::string_view name, const ObjectSpec& object);

}  // namespace sluice::rules::language
