// The words that faults of documents and settings are told in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace sluice::documents {

// With nothing in it that could disturb a terminal: control characters are shown as `?`.
std::string printable(std::string text);

// In single quotes, and cut short.
std::string quote(std::string_view text);

// "the string 'ten'", "0", "true", "a list": what stands there, for "..., but is ...".
std::string found(const Node& node);

// "a, b or c".
std::string listing(const std::vector<std::string>& words);

// What somebody probably meant by a word that does not exist: the nearest of `words`, if it is near enough, by case,
// `-` for `_`, or few letters.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace sluice::documents
