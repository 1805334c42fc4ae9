// Finds the first place where a text stops being JSON, for people who have to mend it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::documents {

struct Breakage {
  size_t offset = 0;    // at most the length of the text
  std::string message;  // "expected ',' or '}' behind a member, but found '\"'"
};

// Nothing for what is JSON. Takes UTF-8 for granted; its work grows with the text, not with its nesting.
std::optional<Breakage> find_json_breakage(std::string_view text);

}  // namespace sluice::documents
