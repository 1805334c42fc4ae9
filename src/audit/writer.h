// Brings what the event loops rejected to a table: collects, makes batches, spills them to disk while the table is
// away, and removes what is too old. One thread for all ledgers, and never one of a loop.
//
// What comes of a rejection is exact: it is in a row that was written or spilled, or it is counted as dropped by cause.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/collection.h"
#include "audit/ledger.h"
#include "audit/spill.h"
#include "audit/table_link.h"
#include "audit/tally.h"

namespace sluice::audit {

struct WriterOptions {
  // How often ledgers are emptied: a subject that is rejected all the while makes one row in that time.
  std::chrono::milliseconds interval{1'000};
  // Of each ledger, on average. With more rows than that the next window lasts until these are written, so that a flood
  // of keys costs a bounded part of a processor; rejections are counted all the while.
  uint32_t rows_per_second = 2'000;
  // Of one transaction.
  Collection::Limits batch{};
  // How long rows of a window may wait beyond that for a table that is slow before they are spilled.
  std::chrono::milliseconds patience{10'000};
  TableLink::BackOff back_off{};
  // None: while the table is away, rows wait in the ledgers, which then have room for one window.
  std::optional<Spill::Options> spill{};

  // Retention; nothing: no such bound.
  std::optional<std::chrono::seconds> most_age = std::chrono::days(30);
  std::optional<uint64_t> most_rows = 10'000'000;
  std::chrono::milliseconds retention_interval{60'000};
  size_t retention_piece = 500;  // rows removed at once
};

// As of now. Counts are since the start.
struct WriterStatus {
  uint64_t noted = 0;  // rejections
  Tally written;
  Tally spilled;  // those that were written from there later are in `written` too
  uint64_t removed_rows = 0;

  // Dropped, by cause.
  uint64_t dropped_ledger_full = 0;  // rejections: more subjects in a window than a ledger has room for
  Tally dropped_spill_full;          // beyond the bound, or no room on the disk
  Tally dropped_spill_failed;        // the disk refused, or lost what it had
  Tally dropped_refused;             // the table does not take this batch, however often it is asked
  Tally dropped_at_stop;             // no table and no spill when the process ended

  bool is_away = false;           // the last that was asked of the table failed
  bool is_spill_useless = false;  // a folder is set, and cannot be used
  Tally waiting;                  // in the spill
  uint64_t spill_bytes = 0;
  std::string last_error;  // of table or spill, for people; stays when it is over
};

// Thread-safe.
class Writer {
 public:
  struct Ports {
    std::vector<Ledger*> ledgers;  // must outlive it
    OpenTable open;
  };

  // Starts at once. Where the system gives no thread, all stays in the ledgers until stop().
  Writer(Ports ports, WriterOptions options);
  // Stops, if that was not done, with a deadline of a few seconds.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Writes or spills what is in the ledgers, and ends within about this time even where the table hangs. To be called
  // when the loops have ended.
  void stop(std::chrono::milliseconds deadline);

  WriterStatus status() const;

 private:
  class Work;
  // Shared with the thread, which may hang in a call of the table.
  std::shared_ptr<Work> work_;
};

}  // namespace sluice::audit
