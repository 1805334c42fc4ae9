#include "sql/sqlite/statement.h"

#include <sqlite3.h>

#include <cerrno>

namespace sluice::sql::sqlite {

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  database.start_clock();
  keep(sqlite3_prepare_v2(database.connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

// The first fault is the one to tell.
void Statement::keep(int code) {
  if (code != SQLITE_OK && !fault_) fault_ = database_->fault(code);
}

void Statement::put_integer(int index, int64_t value) { keep(sqlite3_bind_int64(statement_.get(), index, value)); }

void Statement::put(int index, double value) { keep(sqlite3_bind_double(statement_.get(), index, value)); }

void Statement::put(int index, std::string_view value) {
  // Of no pointer SQLite makes a null; an empty text is none.
  const char* data = value.data() == nullptr ? "" : value.data();
  keep(sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::put(int index, std::nullopt_t) { keep(sqlite3_bind_null(statement_.get(), index)); }

Outcome<bool> Statement::step() {
  if (fault_) {
    Fault told = *fault_;
    if (statement_) fault_.reset();
    return told;
  }
  if (!is_under_way_) database_->start_clock();
  is_under_way_ = true;
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  std::optional<Fault> fault;
  if (code != SQLITE_DONE) fault = database_->fault(code);
  reset();
  if (fault) return *std::move(fault);
  return false;
}

Outcome<Done> Statement::run() {
  for (;;) {
    auto row = step();
    if (!row) return row.fault();
    if (!*row) return Done{};
  }
}

void Statement::reset() {
  if (is_under_way_) sqlite3_reset(statement_.get());
  is_under_way_ = false;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int length = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<size_t>(length));
}

std::optional<int64_t> Statement::integer_or_none(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::real_or_none(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<std::string> Statement::text_or_none(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}

}  // namespace sluice::sql::sqlite
