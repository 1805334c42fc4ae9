#include "audit/writer_work.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>

namespace sluice::audit {
namespace {

// A batch that the database fails on without saying that it will ever do otherwise.
constexpr int kMostBrokenTries = 8;
constexpr std::chrono::seconds kSpillTryInterval{30};

int64_t unix_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Handlers of the program are not for this thread to run.
void shield_this_thread() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "sluice-audit");
}

}  // namespace

Writer::Work::Work(Ports ports, WriterOptions options)
    : ports_(std::move(ports)),
      options_(std::move(options)),
      rows_per_second_(std::max<double>(1, static_cast<double>(options_.rows_per_second)) *
                       static_cast<double>(std::max<size_t>(1, ports_.ledgers.size()))),
      link_(ports_.open, options_.back_off),
      collection_(ports_.ledgers) {}

void Writer::Work::start() {
  const auto now = Clock::now();
  next_collect_ = now + options_.interval;
  // Soon: a process that never lives for long must remove what is too old, too.
  next_retention_ = next_collect_;
  try {
    thread_ = std::thread([self = shared_from_this()] { self->run(); });
  } catch (const std::system_error& error) {
    is_done_ = true;
    status_.last_error = std::string("no thread to write violations: ") + error.what();
  }
}

void Writer::Work::run() {
  shield_this_thread();
  Lock lock(mutex_);
  open_spill();
  while (!is_stopping_) {
    step(lock);
    if (is_abandoned_) return;
    wakes_.wait_until(lock, next_step(), [this] { return is_stopping_; });
  }
  finish(lock);
  if (is_abandoned_) return;
  is_done_ = true;
  wakes_.notify_all();
}

void Writer::Work::step(Lock& lock) {
  const auto now = Clock::now();
  if (now >= next_spill_try_) open_spill();
  if (now >= next_collect_ && collection_.empty()) collect();
  const bool is_away = !link_.may_try(now);
  if (spill_ != nullptr && (has_spilled() || is_away || is_late(now))) spill_all();
  if (is_away) return;
  if (now >= next_batch_ && has_work()) deliver(lock);
  if (!is_abandoned_ && !is_stopping_ && now >= next_retention_ && link_.may_try(now)) retain(lock);
}

Writer::Work::Clock::time_point Writer::Work::next_step() const {
  auto next = collection_.empty() ? next_collect_ : Clock::time_point::max();
  const auto table = has_work() ? std::min(next_batch_, next_retention_) : next_retention_;
  next = std::min(next, std::max(table, link_.retry_at()));
  return std::min(next, next_spill_try_);
}

// Its folder may be away for a while too, as disks are.
void Writer::Work::open_spill() {
  next_spill_try_ = Clock::time_point::max();
  if (!options_.spill || spill_ != nullptr) return;
  auto opened = Spill::open(*options_.spill);
  status_.is_spill_useless = !opened;
  if (opened) {
    spill_ = std::move(*opened);
  } else {
    status_.last_error = opened.fault().message;
    next_spill_try_ = Clock::now() + kSpillTryInterval;
  }
}

// The next window lasts for as long as these rows may take.
void Writer::Work::collect() {
  collection_.collect();
  const auto now = Clock::now();
  const std::chrono::duration<double> takes(static_cast<double>(collection_.rows()) / rows_per_second_);
  const auto paced = std::chrono::duration_cast<Clock::duration>(takes);
  next_collect_ = now + std::max<Clock::duration>(options_.interval, paced);
  collected_by_ = now + paced + options_.patience;
}

bool Writer::Work::is_late(Clock::time_point now) const { return !collection_.empty() && now > collected_by_; }

void Writer::Work::pace(size_t rows) {
  const std::chrono::duration<double> takes(static_cast<double>(rows) / rows_per_second_);
  next_batch_ =
      std::max(next_batch_, Clock::now() - options_.interval) + std::chrono::duration_cast<Clock::duration>(takes);
}

template <class T, class Ask>
sql::Outcome<T> Writer::Work::ask(Lock& lock, const Ask& ask) {
  lock.unlock();
  const auto table = link_.table();
  auto outcome = table ? ask(**table) : sql::Outcome<T>(table.fault());
  lock.lock();
  if (is_abandoned_) return outcome;
  status_.is_away = !outcome;
  if (outcome) {
    link_.worked();
  } else {
    fail(outcome.fault());
  }
  return outcome;
}

void Writer::Work::fail(const sql::Fault& fault) {
  status_.last_error = fault.message;
  // These are about what was asked, not about the table.
  if (fault.trouble == sql::Trouble::kRefused || fault.trouble == sql::Trouble::kDuplicate) {
    status_.is_away = false;
  } else {
    link_.failed(Clock::now());
  }
}

// Numbers must rise on their way to the table: what is in the spill goes first. nullptr if there is nothing.
Writer::Work::SharedBatch Writer::Work::take_batch() {
  if (in_hand_ != nullptr) return in_hand_;
  while (has_spilled()) {
    auto front = spill_->front();
    if (front) return *front;
    status_.last_error = front.fault().message;
    status_.dropped_spill_failed += spill_->give_up();
  }
  if (collection_.empty()) return nullptr;
  WriterName& writer = spill_ != nullptr ? spill_->writer() : own_name_;
  Batch batch{writer.name(), writer.next_number(), collection_.next(options_.batch)};
  return in_hand_ = std::make_shared<const Batch>(std::move(batch));
}

void Writer::Work::deliver(Lock& lock) {
  const SharedBatch batch = take_batch();
  if (batch == nullptr) return;
  const auto outcome = ask<sql::Done>(lock, [&](ViolationTable& table) { return table.append(*batch); });
  if (is_abandoned_) return;
  settle(batch, outcome);
  pace(batch->violations.size());
}

void Writer::Work::settle(const SharedBatch& batch, const sql::Outcome<sql::Done>& outcome) {
  const Tally tally = Tally::of(*batch);
  const bool is_in_hand = batch == in_hand_;
  bool is_over = true;
  if (outcome) {
    status_.written += tally;
  } else if (const sql::Trouble trouble = outcome.fault().trouble;
             trouble == sql::Trouble::kRefused || trouble == sql::Trouble::kDuplicate ||
             (trouble == sql::Trouble::kBroken && ++broken_tries_ >= kMostBrokenTries)) {
    status_.dropped_refused += tally;
  } else {
    is_over = false;
    if (is_in_hand && spill_ != nullptr) put_aside(batch);
  }
  if (!is_over) return;
  broken_tries_ = 0;
  is_in_hand ? static_cast<void>(in_hand_ = nullptr) : spill_->pop(*batch);
}

void Writer::Work::put_aside(const SharedBatch& batch) {
  const Tally tally = Tally::of(*batch);
  const auto kept = spill_->add(*batch);
  if (kept) {
    status_.spilled += tally;
    status_.dropped_spill_full += *kept;
  } else {
    status_.last_error = kept.fault().message;
    (kept.fault().trouble == sql::Trouble::kFull ? status_.dropped_spill_full : status_.dropped_spill_failed) += tally;
  }
  if (batch == in_hand_) in_hand_ = nullptr;
}

void Writer::Work::spill_all() {
  if (in_hand_ != nullptr) put_aside(in_hand_);
  while (!collection_.empty()) {
    WriterName& writer = spill_->writer();
    put_aside(
        std::make_shared<const Batch>(Batch{writer.name(), writer.next_number(), collection_.next(options_.batch)}));
  }
}

void Writer::Work::drop_rest() {
  if (in_hand_ != nullptr) status_.dropped_at_stop += Tally::of(*in_hand_);
  in_hand_ = nullptr;
  while (!collection_.empty()) status_.dropped_at_stop += Tally::of({{}, 0, collection_.next(options_.batch)});
}

// A piece at a time, so that batches come in between; a pass ends with a piece that is not full.
void Writer::Work::retain(Lock& lock) {
  size_t removed = 0;
  bool has_more = false;
  const auto remove = [&](const auto& piece) {
    const auto outcome = ask<size_t>(lock, piece);
    if (!outcome || is_abandoned_) return;
    removed += *outcome;
    has_more = has_more || *outcome >= options_.retention_piece;
  };
  if (options_.most_age) {
    const int64_t before_us = unix_us() - std::chrono::microseconds(*options_.most_age).count();
    remove([&](ViolationTable& table) { return table.remove_before(before_us, options_.retention_piece); });
  }
  if (options_.most_rows && !is_abandoned_ && !is_stopping_ && link_.may_try(Clock::now())) {
    remove([&](ViolationTable& table) { return table.remove_beyond(*options_.most_rows, options_.retention_piece); });
  }
  if (is_abandoned_) return;
  status_.removed_rows += removed;
  // Twice as fast as rows come in, so that it ends.
  const std::chrono::duration<double> takes(static_cast<double>(removed) / (2 * rows_per_second_));
  next_retention_ = Clock::now() + (has_more ? std::chrono::duration_cast<Clock::duration>(takes)
                                             : Clock::duration(options_.retention_interval));
}

// To the table as long as it takes them, then to the spill.
void Writer::Work::finish(Lock& lock) {
  if (options_.spill && spill_ == nullptr) open_spill();
  // Twice: a page that was being written kept its ledger from being collected.
  for (int i = 0; i < 2; ++i) {
    while ((in_hand_ != nullptr || !collection_.empty()) && !has_spilled() && Clock::now() < finish_by_ &&
           link_.may_try(Clock::now())) {
      deliver(lock);
      if (is_abandoned_) return;
    }
    spill_ != nullptr ? spill_all() : drop_rest();
    if (i == 0) collection_.collect();
  }
}

void Writer::Work::stop(std::chrono::milliseconds deadline) {
  Lock lock(mutex_);
  if (is_stopping_) return;
  is_stopping_ = true;
  const auto now = Clock::now();
  finish_by_ = now + deadline / 2;
  wakes_.notify_all();
  const bool ended = wakes_.wait_until(lock, now + deadline * 3 / 4, [this] { return is_done_; });
  if (ended && thread_.joinable()) {
    lock.unlock();
    thread_.join();
    return;
  }
  // It hangs in the table, or there never was a thread. The batch it has there may arrive or not: its number is kept.
  is_abandoned_ = true;
  if (thread_.joinable()) thread_.detach();
  if (options_.spill && spill_ == nullptr) open_spill();
  for (int i = 0; i < 2; ++i) {
    spill_ != nullptr ? spill_all() : drop_rest();
    if (i == 0) collection_.collect();
  }
  spill_ = nullptr;
}

WriterStatus Writer::Work::status() const {
  const std::lock_guard lock(mutex_);
  WriterStatus status = status_;
  for (const Ledger* const ledger : ports_.ledgers) {
    status.noted += ledger->noted();
    status.dropped_ledger_full += ledger->dropped();
  }
  if (spill_ != nullptr) {
    status.waiting = spill_->left();
    status.spill_bytes = spill_->bytes();
  }
  return status;
}

}  // namespace sluice::audit
