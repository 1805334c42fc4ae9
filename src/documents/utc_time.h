// Times of the calendar as text: RFC 3339, written in UTC, to the microsecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::documents {

// "2026-11-16T05:18:31.123456Z" of unix microseconds.
std::string utc_text(int64_t unix_us);

// Unix microseconds of "2030-01-31T12:00:00Z" or "2030-01-31 13:00:00.5+01:00"; what is finer is cut off. Nothing for
// what is no time, such as the 30th of February.
std::optional<int64_t> parse_time_us(std::string_view text);

}  // namespace sluice::documents
