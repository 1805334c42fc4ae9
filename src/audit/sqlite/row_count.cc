#include "audit/sqlite/row_count.h"

#include <algorithm>

namespace sluice::audit::sqlite {
namespace {

// Numbers are given once and rise: there are at most as many rows as numbers from the first to the last.
constexpr const char* kSpanText =
    "SELECT (SELECT max(violation_id) FROM rate_limit_violation)"
    " - (SELECT min(violation_id) FROM rate_limit_violation) + 1";

}  // namespace

RowCount::RowCount(sql::sqlite::Database& database)
    : database_(database), data_version_(database.prepare("PRAGMA data_version")) {}

sql::Outcome<int64_t> RowCount::surplus_over(int64_t rows) {
  auto span = database_.number(kSpanText);
  if (!span) return span;
  if (*span <= rows) return int64_t{0};
  auto count = current();
  if (!count) return count;
  return std::max<int64_t>(*count - rows, 0);
}

sql::Outcome<int64_t> RowCount::current() {
  auto row = data_version_.bind().step();
  if (!row) return row.fault();
  const int64_t version = data_version_.integer(0);
  data_version_.reset();
  if (counted_at_ == version) return rows_;
  auto count = database_.number("SELECT count(*) FROM rate_limit_violation");
  if (!count) return count;
  ++counts_;
  counted_at_ = version;
  rows_ = *count;
  return rows_;
}

}  // namespace sluice::audit::sqlite
