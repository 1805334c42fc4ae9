#include "cli/recorder.h"

#include <utility>

namespace sluice::cli {
namespace {

audit::WriterOptions writer_options(const config::Settings& settings) {
  audit::WriterOptions options;
  options.interval = settings.violations.interval;
  options.most_age.reset();
  options.most_rows.reset();
  if (settings.violations.keep.count() > 0) {
    options.most_age = std::chrono::ceil<std::chrono::seconds>(settings.violations.keep);
  }
  if (settings.violations.max_rows > 0) options.most_rows = static_cast<uint64_t>(settings.violations.max_rows);
  if (settings.violations.max_spill_bytes.count > 0) {
    options.spill = audit::Spill::Options{settings.data_dir / "violations", settings.violations.max_spill_bytes.count,
                                          static_cast<audit::Drop>(settings.violations.spill_drops)};
  }
  return options;
}

uint64_t dropped_in(const audit::WriterStatus& status) {
  return status.dropped_ledger_full + status.dropped_spill_full.rejections + status.dropped_spill_failed.rejections +
         status.dropped_refused.rejections + status.dropped_at_stop.rejections;
}

}  // namespace

Recorder::Recorder(audit::OpenTable open, const config::Settings& settings, size_t loops)
    : open_(std::move(open)), options_(writer_options(settings)) {
  if (!open_) return;
  for (size_t i = 0; i < loops; ++i) ledgers_.push_back(std::make_unique<audit::Ledger>());
}

void Recorder::start() {
  if (!is_on()) return;
  audit::Writer::Ports ports;
  for (const auto& ledger : ledgers_) ports.ledgers.push_back(ledger.get());
  ports.open = open_;
  writer_ = std::make_unique<audit::Writer>(std::move(ports), options_);
}

void Recorder::stop(std::chrono::milliseconds deadline) {
  if (writer_ != nullptr) writer_->stop(deadline);
}

audit::WriterStatus Recorder::status() const { return writer_ == nullptr ? audit::WriterStatus() : writer_->status(); }

void Recorder::tell(telemetry::Log& log) {
  const audit::WriterStatus now = status();
  if (now.is_away && !is_away_) log.error("the database of the violations is away", {{"why", now.last_error}});
  if (!now.is_away && is_away_) log.info("the database of the violations is back");
  is_away_ = now.is_away;
  const uint64_t dropped = dropped_in(now);
  if (dropped > dropped_)
    log.error("violations are lost", {{"rejections", dropped - dropped_}, {"why", now.last_error}});
  dropped_ = dropped;
}

sql::Outcome<std::vector<audit::Violation>> Recorder::read(const audit::ViolationFilter& filter,
                                                           const std::optional<audit::Cursor>& after, size_t most) {
  if (read_from_ == nullptr) {
    auto opened = open_();
    if (!opened) return opened.fault();
    read_from_ = std::move(*opened);
  }
  auto page = read_from_->list(filter, after, most);
  if (!page && page.fault().trouble == sql::Trouble::kAway) read_from_.reset();
  return page;
}

}  // namespace sluice::cli
