// The port behind which rules are kept in a database: sqlite/ and postgres/ are its implementations.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/table/row.h"
#include "sql/outcome.h"

namespace sluice::rules {

// A change under way, which nobody else sees yet. While there is one, nobody else can begin another. Gone without
// commit(), it never was.
class TableEdit {
 public:
  virtual ~TableEdit() = default;

  // With what this edit has done so far.
  virtual sql::Outcome<Snapshot> snapshot() = 0;

  // Return the row as the database has it now. kDuplicate where (key_pattern, plan) is there already.
  virtual sql::Outcome<Row> insert(const Row& row) = 0;
  // REQUIRES: row.id is in snapshot(). Its version and times are not read.
  virtual sql::Outcome<Row> update(const Row& row) = 0;
  virtual sql::Outcome<sql::Done> remove(int64_t id) = 0;
  // No value: the field is taken out.
  virtual sql::Outcome<sql::Done> set_top_level(const std::string& field, const std::optional<std::string>& value) = 0;

  // Once it has said so, the change outlives this process and the database's.
  virtual sql::Outcome<sql::Done> commit() = 0;
};

struct RowFilter {
  int64_t after_id = 0;
  size_t most = 100;
  std::optional<std::string> key_pattern{};
  std::optional<std::string> plan{};
  std::optional<bool> is_active{};
};

struct ChangeFilter {
  std::optional<int64_t> rule_id{};
  std::optional<int64_t> before{};  // a number: only older ones
  size_t most = 100;
};

// One connection. Used by one thread at a time; every call is bounded in time.
class RuleTable {
 public:
  virtual ~RuleTable() = default;

  virtual sql::Outcome<Snapshot> snapshot() = 0;
  virtual sql::Outcome<std::vector<Row>> list(const RowFilter& filter) = 0;
  virtual sql::Outcome<std::optional<Row>> find(int64_t id) = 0;
  // The newest first.
  virtual sql::Outcome<std::vector<Change>> changes(const ChangeFilter& filter) = 0;

  // `who` is written into the history. The edit must go before the table does.
  virtual sql::Outcome<std::unique_ptr<TableEdit>> edit(const std::string& who) = 0;

  // Another than before whenever rows or top level changed, whoever did it; 0 where nothing ever did. Cheap.
  virtual sql::Outcome<int64_t> latest_change() = 0;
  // Readable when latest_change() may have another answer; -1 where the database tells nothing by itself.
  virtual int notice_fd() const { return -1; }
  // How often to ask where nothing is told, or as a safety net where something is.
  virtual std::chrono::milliseconds poll_interval() const = 0;
};

}  // namespace sluice::rules
