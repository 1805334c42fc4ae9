// For tests: rows in a few words.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/table/load_snapshot.h"

namespace sluice::rules::testing {

inline const TableName kTable{"sqlite:sluice.db"};

inline Row table_row(std::string pattern, double rate, double burst, std::optional<std::string> plan = {}) {
  Row row;
  row.key_pattern = std::move(pattern);
  row.rate_per_second = rate;
  row.burst_capacity = burst;
  row.plan = std::move(plan);
  return row;
}

inline Row defined_row(std::string pattern, std::string definition) {
  Row row;
  row.key_pattern = std::move(pattern);
  row.definition = std::move(definition);
  return row;
}

inline Row inactive(Row row) {
  row.is_active = false;
  return row;
}

// Rows get the ids 1, 2, 3, ...
inline Snapshot snapshot_of(std::vector<Row> rows, TopLevel top_level = {}) {
  Snapshot snapshot{1, std::move(rows), std::move(top_level)};
  for (size_t i = 0; i < snapshot.rows.size(); ++i) snapshot.rows[i].id = static_cast<int64_t>(i) + 1;
  return snapshot;
}

inline RuleSet rules_of(const Snapshot& snapshot) {
  const Loaded loaded = load_snapshot(snapshot, kTable);
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << describe(fault);
  return loaded.rules == nullptr ? RuleSet() : *loaded.rules;
}

inline std::vector<std::string> lines_of(const std::vector<Fault>& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) lines.push_back(describe(fault));
  return lines;
}

inline std::vector<std::string> faults_of(const Snapshot& snapshot) {
  return lines_of(load_snapshot(snapshot, kTable).faults);
}

}  // namespace sluice::rules::testing
