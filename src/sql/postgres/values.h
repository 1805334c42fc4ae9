// Values as PostgreSQL writes them in binary: the parameters of a statement, or one row of a COPY. Exact for every
// double and every microsecond, and nothing to quote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sql::postgres {

// PostgreSQL counts microseconds from 2000.
constexpr int64_t kEpochUs = 946'684'800'000'000;

// In the order of $1, $2, ... or of the columns.
class Values {
 public:
  Values& text(std::string_view value);
  Values& integer(int64_t value);  // BIGINT
  Values& number(double value);    // DOUBLE PRECISION
  Values& boolean(bool value);
  Values& time(int64_t unix_us);  // TIMESTAMPTZ; what it cannot hold becomes its first or last moment
  // INET, of an address without a network. Null for what is none.
  Values& address(std::string_view value);
  Values& null();

  Values& text(const std::optional<std::string>& value) { return value ? text(std::string_view(*value)) : null(); }
  Values& text(const std::string& value) { return text(std::string_view(value)); }
  Values& text(const char* value) { return text(std::string_view(value)); }
  Values& integer(const std::optional<int64_t>& value) { return value ? integer(*value) : null(); }
  Values& number(const std::optional<double>& value) { return value ? number(*value) : null(); }

  void clear();
  size_t size() const { return begins_.size(); }
  // Null for a null.
  const char* data(size_t index) const;
  int length(size_t index) const { return lengths_[index]; }

  // As a row of COPY ... WITH (FORMAT binary).
  void append_row_to(std::string& copy) const;

 private:
  void put(std::string_view bytes);

  std::string bytes_;  // each with its length before it, as COPY wants them
  std::vector<size_t> begins_;
  std::vector<int> lengths_;
};

// What stands before and behind the rows of a COPY.
std::string copy_header();
std::string copy_trailer();

// Numbers with the most significant byte first.
uint64_t read_big_endian(const char* bytes, size_t size);

}  // namespace sluice::sql::postgres
