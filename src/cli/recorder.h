// Keeps who was refused what: a ledger for each event loop, the thread that writes them down, and a way to read it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "audit/ledger.h"
#include "audit/writer.h"
#include "config/settings.h"
#include "telemetry/log.h"

namespace sluice::cli {

class Recorder {
 public:
  // Without an opener nothing is kept.
  Recorder(audit::OpenTable open, const config::Settings& settings, size_t loops);

  bool is_on() const { return !ledgers_.empty(); }
  // nullptr where nothing is kept.
  audit::Ledger* ledger(size_t loop) { return is_on() ? ledgers_[loop].get() : nullptr; }

  // REQUIRES: the loops do not note yet, or it is_on() not.
  void start();
  // When the loops have ended.
  void stop(std::chrono::milliseconds deadline);
  // Any thread, once it has started.
  audit::WriterStatus status() const;
  // What has become worse or better since it was last asked. For one thread.
  void tell(telemetry::Log& log);

  // Through a connection of its own, made when it is needed. For one thread.
  sql::Outcome<std::vector<audit::Violation>> read(const audit::ViolationFilter& filter,
                                                   const std::optional<audit::Cursor>& after, size_t most);

 private:
  const audit::OpenTable open_;
  const audit::WriterOptions options_;
  std::vector<std::unique_ptr<audit::Ledger>> ledgers_;
  std::unique_ptr<audit::Writer> writer_;
  std::unique_ptr<audit::ViolationTable> read_from_;

  // What was told.
  bool is_away_ = false;
  uint64_t dropped_ = 0;
};

}  // namespace sluice::cli
