// For tests: a table in a SQLite file of its own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "rules/sqlite/rule_table.h"
#include "rules/table/editor.h"
#include "rules/table/table_testing.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::rules::testing {

class SqliteTable {
 public:
  SqliteTable() : table_(open()) {}

  std::string file() const { return folder_ / "sluice.db"; }
  std::string folder() const { return folder_.path(); }
  TableName name() const { return {"sqlite:" + file(), folder_.path()}; }
  std::unique_ptr<RuleTable> open() const {
    auto opened = rules::sqlite::open_rules(file());
    if (!opened) ADD_FAILURE() << opened.fault().message;
    return opened ? std::move(*opened) : nullptr;
  }

  RuleTable& operator*() { return *table_; }
  RuleTable* operator->() { return table_.get(); }
  Editor editor(const std::string& who = "ann") { return Editor(*table_, name(), who); }

  // As somebody at a terminal would.
  void type(const std::string& sql) { EXPECT_EQ(sql::sqlite::typed_into_sqlite3(file(), sql), ""); }

  std::vector<std::string> subjects() {
    std::vector<std::string> subjects;
    const auto snapshot = table_->snapshot();
    for (const Row& row : snapshot->rows)
      subjects.push_back(row.plan ? row.key_pattern + "@" + *row.plan : row.key_pattern);
    return subjects;
  }

 private:
  sql::sqlite::TempFolder folder_;
  std::unique_ptr<RuleTable> table_;
};

inline std::string body(const std::string& pattern, const std::string& rest = "") {
  return R"({"key_pattern": ")" + pattern + R"(", "rate_per_second": 10, "burst_capacity": 50)" +
         (rest.empty() ? "" : ", " + rest) + "}";
}

// The row, or a failure of the test that says what it was instead.
inline Row done(const EditResult& result) {
  if (const auto* edited = std::get_if<Edited>(&result)) return edited->row.value_or(Row());
  if (const auto* faulty = std::get_if<Faulty>(&result)) {
    for (const std::string& line : lines_of(faulty->faults)) ADD_FAILURE() << line;
  }
  if (const auto* fault = std::get_if<sql::Fault>(&result)) ADD_FAILURE() << fault->message;
  ADD_FAILURE() << "the result has the index " << result.index();
  return {};
}

inline std::vector<std::string> faults_of(const EditResult& result) {
  const auto* faulty = std::get_if<Faulty>(&result);
  return faulty == nullptr ? std::vector<std::string>{"no faults"} : lines_of(faulty->faults);
}

}  // namespace sluice::rules::testing
