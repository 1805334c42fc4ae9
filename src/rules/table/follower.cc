#include "rules/table/follower.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>
#include <variant>

#include "rules/table/snapshot_file.h"

namespace sluice::rules {
namespace {

using std::chrono::milliseconds;

// Handlers of the program are not for this thread to run.
void name_and_shield_this_thread() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "sluice-rules");
}

bool says_the_same(const Snapshot& a, const Snapshot& b) { return a.rows == b.rows && a.top_level == b.top_level; }

}  // namespace

Follower::Follower(Options options, TableOpener open, SourceListener listener)
    : options_(std::move(options)),
      open_(std::move(open)),
      listener_(std::move(listener)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      retry_(options_.first_retry),
      jitter_(std::random_device{}()) {
  status_.is_table = true;
  look(false);
  start();
}

void Follower::start() {
  const std::string hint = "raise the limits on open files and threads, then start again";
  if (!wake_) return complain("changes of this table will not be noticed: there is no descriptor left", hint);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    complain(std::string("changes of this table will not be noticed: ") + error.what(), hint);
  }
}

Follower::~Follower() {
  if (!thread_.joinable()) return;
  is_stopping_ = true;
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

SourceStatus Follower::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Follower::poke() {
  is_poked_ = true;
  eventfd_write(wake_.get(), 1);
}

void Follower::run() {
  name_and_shield_this_thread();
  for (;;) {
    wait();
    if (is_stopping_) return;
    uint64_t wakes = 0;
    eventfd_read(wake_.get(), &wakes);
    look(is_poked_.exchange(false));
  }
}

void Follower::wait() {
  // poll() passes over descriptors that are -1.
  pollfd sources[] = {{wake_.get(), POLLIN, 0}, {table_ ? table_->notice_fd() : -1, POLLIN, 0}};
  poll(sources, std::size(sources), static_cast<int>(patience().count()));
}

// While the database is away, twice as long each time; not all servers at the same moment.
milliseconds Follower::patience() {
  if (table_) return std::max(table_->poll_interval(), milliseconds(1));
  const milliseconds longest = retry_;
  retry_ = std::min(retry_ * 2, options_.longest_retry);
  return longest / 2 + milliseconds(std::uniform_int_distribution<int64_t>(0, longest.count() / 2)(jitter_));
}

void Follower::look(bool is_asked) {
  if (table_ == nullptr) {
    auto opened = open_();
    if (!opened) return lose(opened.fault());
    table_ = std::move(*opened);
    return load(is_asked);
  }
  const auto change = table_->latest_change();
  if (!change) return lose(change.fault());
  if (is_asked || !has_seen_ || status_.away || *change != seen_.change) return load(is_asked);
  busy_since_.reset();
}

void Follower::load(bool is_asked) {
  auto snapshot = table_->snapshot();
  if (!snapshot) return lose(snapshot.fault());
  retry_ = options_.first_retry;
  busy_since_.reset();
  // Rows that were loaded from the file, or before the database went, are in force already.
  const bool is_known = has_seen_ && says_the_same(*snapshot, seen_) && status_.faults.empty();
  seen_ = std::move(*snapshot);
  has_seen_ = true;
  if (is_known && !is_asked) {
    const std::lock_guard lock(mutex_);
    status_.is_current = true;
  } else {
    const Loaded loaded = load_snapshot(seen_, options_.name);
    if (loaded.rules == nullptr && status_.generation == 0) load_copy_beside();
    put_in_force(loaded, true);
    if (loaded.rules != nullptr) save(seen_);
  }
  tell_back();
}

void Follower::put_in_force(const Loaded& loaded, bool is_current) {
  const bool is_good = loaded.rules != nullptr;
  if (is_good && listener_.rules) listener_.rules(loaded.rules);
  if (!is_good && listener_.faults) listener_.faults(loaded.faults);
  // Last, so that whoever sees a generation here finds its rules in force.
  const std::lock_guard lock(mutex_);
  status_.faults = loaded.faults;
  status_.is_current = is_good && is_current;
  ++(is_good ? status_.generation : status_.refused);
  if (is_good) status_.loaded_at = std::chrono::system_clock::now();
}

void Follower::save(const Snapshot& snapshot) {
  if (options_.snapshot_file.empty()) return;
  const auto why = write_snapshot_file(options_.snapshot_file, options_.name.text, snapshot);
  if (!why) return;
  complain("the rules could not be kept for a start without the database, in " + options_.snapshot_file.string() +
               ": " + *why,
           "these rules are in force; mend the file's folder");
}

void Follower::lose(const sql::Fault& fault) {
  if (is_briefly_busy(fault)) return;
  if (fault.trouble != sql::Trouble::kBusy || !has_seen_) table_ = nullptr;
  const std::string why = fault.hint.empty() ? fault.message : fault.message + "; " + fault.hint;
  const bool is_new = !status_.away;
  const Absence absence{is_new ? std::chrono::system_clock::now() : status_.away->since, why};
  {
    const std::lock_guard lock(mutex_);
    status_.away = absence;
    status_.is_current = false;
  }
  if (is_new && status_.generation == 0) load_from_file();
  if (is_new && listener_.away) listener_.away(absence);
}

// Others are writing: the connection is good, and asked again soon.
bool Follower::is_briefly_busy(const sql::Fault& fault) {
  if (fault.trouble != sql::Trouble::kBusy || table_ == nullptr || !has_seen_) {
    busy_since_.reset();
    return false;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!busy_since_) busy_since_ = now;
  return now - *busy_since_ < options_.longest_busy;
}

// At a start with bad rows, those that were good serve as they would have without the start.
void Follower::load_copy_beside() {
  if (options_.snapshot_file.empty()) return;
  auto read = read_snapshot_file(options_.snapshot_file, options_.name.text);
  const auto* snapshot = std::get_if<Snapshot>(&read);
  if (snapshot == nullptr) return;
  const Loaded copy = load_snapshot(*snapshot, options_.name);
  if (copy.rules != nullptr) put_in_force(copy, false);
}

// Only until there are rules: later, those in force are newer.
void Follower::load_from_file() {
  const std::string file = options_.snapshot_file.string();
  std::string without = "there is no copy of its rules on this machine";
  if (!options_.snapshot_file.empty()) {
    auto read = read_snapshot_file(options_.snapshot_file, options_.name.text);
    if (auto* snapshot = std::get_if<Snapshot>(&read)) {
      Loaded loaded = load_snapshot(*snapshot, options_.name);
      if (loaded.rules != nullptr) {
        seen_ = std::move(*snapshot);
        has_seen_ = true;
      } else {
        loaded.faults.insert(loaded.faults.begin(), fault_of_table("the copy of its rules in " + file + " has faults"));
      }
      return put_in_force(loaded, false);
    }
    without = "there is no copy of its rules in " + file + ": " + std::get<std::string>(read);
  }
  put_in_force({nullptr, {fault_of_table(without)}}, false);
}

Fault Follower::fault_of_table(std::string message) const {
  Fault fault;
  fault.file = options_.name.text;
  fault.message = std::move(message);
  return fault;
}

void Follower::tell_back() {
  if (!status_.away) return;
  {
    const std::lock_guard lock(mutex_);
    status_.away.reset();
  }
  if (listener_.away) listener_.away(std::nullopt);
}

void Follower::complain(std::string message, std::string hint) {
  Fault fault = fault_of_table(std::move(message));
  fault.hint = std::move(hint);
  if (listener_.faults) listener_.faults({fault});
}

}  // namespace sluice::rules
