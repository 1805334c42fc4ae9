// What the admin door reads beside bodies: versions in If-Match, parameters, times.
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <string_view>

#include "documents/utc_time.h"
#include "doors/admin/preconditions.h"
#include "doors/admin/rules_query.h"
#include "doors/violation_query.h"

namespace {

using namespace sluice;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_tags(std::string_view text) {
  const auto read = doors::admin::parse_tags("If-Match", text);
  if (std::holds_alternative<std::string>(read)) return;
  for (const std::string& tag : std::get<doors::admin::Tags>(read).tags) {
    const auto again = doors::admin::parse_tags("If-Match", doors::admin::quoted_tag(tag));
    require(std::holds_alternative<doors::admin::Tags>(again));
    require(std::get<doors::admin::Tags>(again).has(tag));
  }
}

void check_violation_query(std::string_view text) {
  const auto read = doors::read_violation_query(doors::parse_query(text), 1'896'091'200'000'000);
  if (std::holds_alternative<std::string>(read)) return;
  const auto& query = std::get<doors::ViolationQuery>(read);
  require(query.limit >= 1 && query.limit <= doors::ViolationQuery::kMost);
}

void check_time(std::string_view text) {
  const auto time = documents::parse_time_us(text);
  if (time) require(documents::parse_time_us(documents::utc_text(*time)) == time);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 4) {
    case 0: check_tags(text); break;
    case 1: check_violation_query(text); break;
    case 2: check_time(text); break;
    default:
      (void)doors::admin::read_row_filter(text);
      (void)doors::admin::read_change_filter(text);
      break;
  }
  return 0;
}
