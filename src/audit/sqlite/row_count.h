// How many violations there are, without counting a million each time: counted once, then kept in step with what this
// connection adds and removes, for as long as nobody else has written to the file.
#pragma once

#include <cstdint>
#include <optional>

#include "sql/sqlite/database.h"
#include "sql/sqlite/statement.h"

namespace sluice::audit::sqlite {

class RowCount {
 public:
  explicit RowCount(sql::sqlite::Database& database);

  // How many rows are above the bound. REQUIRES: a write transaction, in which this connection has not written yet.
  sql::Outcome<int64_t> surplus_over(int64_t rows);

  // What this connection has committed.
  void add(int64_t rows) { rows_ += rows; }

  // How often it had to count.
  uint64_t counts() const { return counts_; }

 private:
  sql::Outcome<int64_t> current();

  sql::sqlite::Database& database_;
  sql::sqlite::Statement data_version_;
  std::optional<int64_t> counted_at_;  // data_version, which others move by writing, and this connection does not
  int64_t rows_ = 0;
  uint64_t counts_ = 0;
};

}  // namespace sluice::audit::sqlite
