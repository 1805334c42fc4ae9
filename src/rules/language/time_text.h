// Times as rules write them: RFC 3339.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::rules::language {

// Unix seconds of "2030-01-31T12:00:00Z" or "2030-01-31 13:00:00.5+01:00"; fractions of a second are cut off. Nothing
// for what is no time, such as the 30th of February.
std::optional<int64_t> parse_time(std::string_view text);

}  // namespace sluice::rules::language
