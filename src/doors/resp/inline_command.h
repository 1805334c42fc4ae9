// A command as people type it: words, and quoted strings as Redis reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::doors::resp {

// `a "b c\n\x41" 'it\'s'`: double quotes know escapes, single ones only \'. Appends the arguments, which are views into
// `memory`; that is overwritten. False if a quote is not closed, or something stands right behind a closing one.
[[nodiscard]] bool split_inline(std::string_view line, std::string& memory, std::vector<std::string_view>& arguments);

}  // namespace sluice::doors::resp
