// The rows that a statement came to, in binary. Columns are asked for as what they are: the statement says it.
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::sql::postgres {

class Result {
 public:
  Result() = default;
  explicit Result(PGresult* result) : result_(result, PQclear) {}

  explicit operator bool() const { return result_ != nullptr; }
  PGresult* get() const { return result_.get(); }

  size_t rows() const { return static_cast<size_t>(PQntuples(get())); }
  // Rows that were written or removed.
  size_t affected() const;

  bool is_null(size_t row, int column) const { return PQgetisnull(get(), static_cast<int>(row), column) != 0; }
  // REQUIRES: it is not null.
  std::string_view text(size_t row, int column) const;
  int64_t integer(size_t row, int column) const;
  double number(size_t row, int column) const;
  bool boolean(size_t row, int column) const;
  int64_t time_us(size_t row, int column) const;  // unix time

  std::optional<std::string> text_or_null(size_t row, int column) const;
  std::optional<int64_t> integer_or_null(size_t row, int column) const;
  std::optional<double> number_or_null(size_t row, int column) const;

 private:
  std::unique_ptr<PGresult, void (*)(PGresult*)> result_{nullptr, PQclear};
};

}  // namespace sluice::sql::postgres
