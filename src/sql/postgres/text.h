// Any bytes as TEXT. PostgreSQL's TEXT is UTF-8 without zero bytes; keys, users and paths of requests need not be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::sql::postgres {

// What is UTF-8 stays as it is, so that people find what they type. A zero byte, a byte that is no UTF-8, and a
// backslash before an x become \xHH: so no two strings become one, and from_text() gives the bytes back.
std::string to_text(std::string_view bytes);
std::string from_text(std::string_view text);

// At most so many bytes of what to_text() gave, without half a character or half an escape at the end.
std::string clipped(std::string text, size_t most);

}  // namespace sluice::sql::postgres
