// What tests on tables of rules share: rows to write, and outcomes that must hold.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "rules/table/row.h"
#include "sql/outcome.h"

namespace sluice::rules {

template <class T>
T value_of(sql::Outcome<T> outcome) {
  if (outcome) return std::move(*outcome);
  ADD_FAILURE() << outcome.fault().message;
  // A test cannot go on without the value.
  throw std::runtime_error(outcome.fault().message);
}

inline Row user_row(const std::string& plan = "") {
  Row row;
  row.key_pattern = "user:{user_id}";
  row.scope = "user";
  row.rate_per_second = 10;
  row.burst_capacity = 50;
  if (!plan.empty()) row.plan = plan;
  return row;
}

inline Row policy_row(const std::string& id, const std::string& definition = R"({"rules": []})") {
  Row row;
  row.key_pattern = "policy:" + id;
  row.definition = definition;
  return row;
}

// What the database adds is left out.
inline Row as_given(Row row) {
  row.id = row.version = 0;
  row.created_at.clear();
  row.updated_at.clear();
  return row;
}

// Asks again while others hold the table.
template <class Ask>
auto once_not_busy(Ask ask) {
  for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);;) {
    auto outcome = ask();
    const bool is_busy = !outcome && outcome.fault().trouble == sql::Trouble::kBusy;
    if (!is_busy || std::chrono::steady_clock::now() > deadline) return value_of(std::move(outcome));
  }
}

}  // namespace sluice::rules
