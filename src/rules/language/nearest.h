// What somebody probably meant by a word that does not exist.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rules/language/spec.h"

namespace sluice::rules::language {

// The nearest of `words`, if it is near enough to be what was meant: by case, `-` for `_`, or few letters.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> words);

// "did you mean 'burst'?", how to write what other limiters call by this name, or which fields there are.
std::string hint_for_unknown_field(std::string_view name, const ObjectSpec& object);

}  // namespace sluice::rules::language
