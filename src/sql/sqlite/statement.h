// A prepared statement. Used by one thread at a time; its database must outlive it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sql/sqlite/database.h"

struct sqlite3_stmt;

namespace sluice::sql::sqlite {

// What is wrong with the text or a value is told by the next step(), so that calls can be chained without a look at
// each.
//
//   Statement find = database.prepare("SELECT plan FROM rate_limit_rule WHERE rule_id = ?1");
//   find.bind(42);
//   for (auto row = find.step(); row && *row; row = find.step()) use(find.text_or_none(0));
class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;

  // Values for ?1, ?2, ... Ends what was under way. Texts are not copied: they must live until it is stepped through.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (put(++index, values), ...);
    return *this;
  }

  // True: there is a row to look at. False: there are no more, and nothing is under way.
  Outcome<bool> step();
  // Goes through all rows, looking at none.
  Outcome<Done> run();
  // Ends what is under way, and with it the hold on the file.
  void reset();

  // Columns of the row, from 0. Of a null, what is nought.
  bool is_null(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  // With any bytes, zero bytes too.
  std::string text(int column) const;
  std::optional<int64_t> integer_or_none(int column) const;
  std::optional<double> real_or_none(int column) const;
  std::optional<std::string> text_or_none(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  Statement(Database& database, std::string_view sql);

  void put(int index, std::integral auto value) { put_integer(index, static_cast<int64_t>(value)); }
  void put(int index, double value);
  void put(int index, std::string_view value);
  void put(int index, std::nullopt_t none);
  template <class Value>
  void put(int index, const std::optional<Value>& value) {
    value ? put(index, *value) : put(index, std::nullopt);
  }
  void put_integer(int index, int64_t value);
  void keep(int code);

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::optional<Fault> fault_;
  bool is_under_way_ = false;
};

}  // namespace sluice::sql::sqlite
