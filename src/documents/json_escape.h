// Any text as the inside of a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace sluice::documents {

// What stands between the quotes. Whatever bytes it is given, what it writes is valid: what is not UTF-8 becomes
// U+FFFD. With room enough in `out`, nothing is allocated.
void append_escaped(std::string& out, std::string_view text);

}  // namespace sluice::documents
