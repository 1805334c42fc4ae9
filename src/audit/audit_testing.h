// For tests: rejections in a line, ledgers read at once, and a real table that can be made to be away or to hang.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "audit/ledger.h"
#include "audit/sqlite/violation_table.h"
#include "audit/writer.h"

namespace sluice::audit {

inline void note(Ledger& ledger, std::string_view key, int64_t at_us = 1, uint32_t kind = 1) {
  Ledger::Pen pen(ledger);
  pen.note(pen.subject(key, kind), at_us,
           [&] { return Rejection{.bucket_key = key, .reason = "token_bucket_exceeded", .tokens = 0.5, .cost = 1}; });
}

// All rows that a page has, and empties it.
inline std::vector<Violation> rows_of(Page* page) {
  std::vector<Violation> rows;
  size_t position = 0;
  for (Violation row; page != nullptr && page->read(position, row); row = {}) rows.push_back(row);
  if (page != nullptr) page->clear();
  return rows;
}

inline std::map<std::string, uint64_t> counts_of(const std::vector<Violation>& rows) {
  std::map<std::string, uint64_t> counts;
  for (const Violation& row : rows) counts[row.bucket_key] += row.count;
  return counts;
}

inline Tally tally_of(const std::vector<Violation>& rows) { return Tally::of({"", 0, rows}); }

// Waits for a condition, a minute at most.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// What stands between a writer and its table.
struct Weather {
  std::atomic<bool> is_away{false};
  std::atomic<bool> loses_answers{false};  // a batch is written, and kAway is said
  std::atomic<bool> refuses{false};
  std::atomic<int> calls{0};

  void hang() {
    std::unique_lock lock(mutex);
    ++hanging;
    changed.notify_all();
    changed.wait(lock, [this] { return !hangs; });
  }
  void set_hangs(bool value) {
    const std::lock_guard lock(mutex);
    hangs = value;
    changed.notify_all();
  }
  bool wait_for_hanging() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::minutes(1), [this] { return hanging > 0; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool hangs = false;
  int hanging = 0;
};

inline sql::Fault away() { return {sql::Trouble::kAway, "the table is away"}; }

class WeatheredTable final : public ViolationTable {
 public:
  WeatheredTable(std::unique_ptr<ViolationTable> table, std::shared_ptr<Weather> weather)
      : table_(std::move(table)), weather_(std::move(weather)) {}

  sql::Outcome<sql::Done> append(const Batch& batch) override {
    ++weather_->calls;
    bool hangs = false;
    {
      const std::lock_guard lock(weather_->mutex);
      hangs = weather_->hangs;
    }
    if (hangs) weather_->hang();
    if (weather_->is_away) return away();
    if (weather_->refuses) return sql::Fault{sql::Trouble::kRefused, "a value is refused"};
    auto outcome = table_->append(batch);
    if (weather_->loses_answers) return away();
    return outcome;
  }
  sql::Outcome<std::vector<Violation>> list(const ViolationFilter& filter, const std::optional<Cursor>& after,
                                            size_t most) override {
    return table_->list(filter, after, most);
  }
  sql::Outcome<size_t> remove_before(int64_t at_us, size_t most) override {
    if (weather_->is_away) return away();
    return table_->remove_before(at_us, most);
  }
  sql::Outcome<size_t> remove_beyond(uint64_t rows, size_t most) override {
    if (weather_->is_away) return away();
    return table_->remove_beyond(rows, most);
  }

 private:
  const std::unique_ptr<ViolationTable> table_;
  const std::shared_ptr<Weather> weather_;
};

inline OpenTable opener(const std::string& path, const std::shared_ptr<Weather>& weather) {
  return [path, weather]() -> sql::Outcome<std::unique_ptr<ViolationTable>> {
    if (weather->is_away) return away();
    auto table = sqlite::open_violations(path);
    if (!table) return table.fault();
    return std::unique_ptr<ViolationTable>(std::make_unique<WeatheredTable>(std::move(*table), weather));
  };
}

// Everything in the table.
inline std::vector<Violation> stored_rows(const std::string& path) {
  std::vector<Violation> all;
  const auto table = sqlite::open_violations(path);
  if (!table) return all;
  std::optional<Cursor> after;
  for (;;) {
    const auto page = (*table)->list({}, after, 1'000);
    if (!page || page->empty()) return all;
    all.insert(all.end(), page->begin(), page->end());
    after = Cursor{all.back().requested_at_us, all.back().id};
  }
}

}  // namespace sluice::audit
