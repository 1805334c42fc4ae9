// What a decision is in HTTP: one table from its reason to the status, and to the type of the problem body.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "limiter/answer.h"

namespace sluice::doors {

struct StatusRow {
  limiter::Reason reason;
  int status;
  // Types as they are registered with IANA. `about:blank` says no more than its status does, and its title must be the
  // status's own phrase.
  std::string_view problem_type;
  std::string_view problem_title;
};

inline constexpr std::string_view kQuotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";
inline constexpr std::string_view kReducedCapacity =
    "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";
inline constexpr std::string_view kNoType = "about:blank";

// In the order of Reason. What is not the caller's doing is no 429: a store that is away, and rules that one request
// cannot be held to, which only a change of the rules mends.
inline constexpr std::array<StatusRow, 7> kStatusTable = {{
    {limiter::Reason::kNone, 200, kNoType, "OK"},
    {limiter::Reason::kExceeded, 429, kQuotaExceeded, "Quota exceeded"},
    {limiter::Reason::kCostExceedsCapacity, 429, kQuotaExceeded, "Quota exceeded"},
    {limiter::Reason::kKillSwitch, 429, kNoType, "Too Many Requests"},
    {limiter::Reason::kMissingKey, 429, kNoType, "Too Many Requests"},
    {limiter::Reason::kTooManyBuckets, 500, kNoType, "Internal Server Error"},
    {limiter::Reason::kStoreUnavailable, 503, kReducedCapacity, "Temporarily reduced capacity"},
}};

constexpr const StatusRow& status_row(limiter::Reason reason) { return kStatusTable[static_cast<size_t>(reason)]; }
// The same for a rejection that is sent with another status, whose own phrase this is.
constexpr StatusRow sent_with(StatusRow row, int status, std::string_view phrase) {
  row.status = status;
  if (row.problem_type == kNoType) row.problem_title = phrase;
  return row;
}
constexpr int http_status(const limiter::Answer& answer) { return status_row(answer.reason).status; }

}  // namespace sluice::doors
