// Which violations somebody wants to see: the parameters of GET /admin/v1/violations and of `sluice violations list`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "audit/violation.h"
#include "doors/query_string.h"

namespace sluice::doors {

struct ViolationQuery {
  static constexpr size_t kMost = 1000;

  audit::ViolationFilter filter;
  std::optional<audit::Cursor> after;
  size_t limit = 100;
};

// The text is what is wrong, in one sentence. `now_us` is unix time: `since=1h` counts from there.
std::variant<ViolationQuery, std::string> read_violation_query(const QueryFields& fields, int64_t now_us);

// A cursor as parameters carry it.
std::string cursor_text(const audit::Cursor& cursor);

}  // namespace sluice::doors
