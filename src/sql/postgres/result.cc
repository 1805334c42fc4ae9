#include "sql/postgres/result.h"

#include <bit>
#include <charconv>

#include "sql/postgres/values.h"

namespace sluice::sql::postgres {

size_t Result::affected() const {
  const std::string_view digits = PQcmdTuples(get());
  size_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

std::string_view Result::text(size_t row, int column) const {
  const int number = static_cast<int>(row);
  return {PQgetvalue(get(), number, column), static_cast<size_t>(PQgetlength(get(), number, column))};
}

int64_t Result::integer(size_t row, int column) const {
  const std::string_view bytes = text(row, column);
  return static_cast<int64_t>(read_big_endian(bytes.data(), bytes.size()));
}

double Result::number(size_t row, int column) const { return std::bit_cast<double>(integer(row, column)); }

bool Result::boolean(size_t row, int column) const { return integer(row, column) != 0; }

int64_t Result::time_us(size_t row, int column) const { return integer(row, column) + kEpochUs; }

std::optional<std::string> Result::text_or_null(size_t row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional<std::string>(text(row, column));
}

std::optional<int64_t> Result::integer_or_null(size_t row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(integer(row, column));
}

std::optional<double> Result::number_or_null(size_t row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(number(row, column));
}

}  // namespace sluice::sql::postgres
