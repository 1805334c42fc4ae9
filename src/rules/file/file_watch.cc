#include "rules/file/file_watch.h"

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "rules/language/rules_folder.h"

namespace sluice::rules {
namespace {

constexpr uint32_t kOfFolder = IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW | IN_ONLYDIR;
constexpr uint32_t kOfFile = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW;
constexpr uint32_t kOfEntry = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR;

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? "/" + path : whole.string();
}

void add_to(const Descriptor& epoll, const Descriptor& other) {
  if (!epoll || !other) return;
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(epoll.get(), EPOLL_CTL_ADD, other.get(), &event);
}

}  // namespace

FileWatch::FileWatch(std::vector<std::string> paths, Options options)
    : paths_(std::move(paths)),
      options_(options),
      inotify_(options.use_inotify ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      events_(timer_ ? epoll_create1(EPOLL_CLOEXEC) : -1),
      next_poll_(Clock::now() + options.poll) {
  for (std::string& path : paths_) path = absolute(path);
  add_to(events_, inotify_);
  add_to(events_, timer_);
  walk();
  taken_ = look();
  wake_at(next_poll_);
}

bool FileWatch::changed() {
  const auto now = Clock::now();
  if (drain()) {
    begin_or_extend(now);
    walk();
  }
  if (now >= next_poll_) {
    next_poll_ = now + options_.poll;
    if (!began_ && look() != taken_) {
      begin_or_extend(now);
      walk();
    }
  }
  if (!began_ || now < settles_at()) {
    wake_at(began_ ? settles_at() : next_poll_);
    return false;
  }
  began_.reset();
  is_open_ = false;
  taken_ = look();
  next_poll_ = now + options_.poll;
  wake_at(next_poll_);
  return true;
}

void FileWatch::begin_or_extend(Clock::time_point now) {
  if (!began_) began_ = now;
  latest_ = now;
}

FileWatch::Clock::time_point FileWatch::settles_at() const {
  const auto last = *began_ + options_.longest;
  return is_open_ ? last : std::min(last, latest_ + options_.quiet);
}

// Reads all events there are; whether any of them concerns the paths.
bool FileWatch::drain() {
  uint64_t expirations;
  if (timer_ && read(timer_.get(), &expirations, sizeof(expirations)) < 0) expirations = 0;
  if (!inotify_) return false;
  bool any = false;
  alignas(inotify_event) char buffer[16 * 1024];
  for (ssize_t length; (length = read(inotify_.get(), buffer, sizeof(buffer))) > 0;) {
    for (const char* at = buffer; at < buffer + length;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof(event));
      any |= concerns(event.wd, event.mask, event.len > 0 ? at + sizeof(event) : "");
      at += sizeof(event) + event.len;
    }
  }
  return any;
}

bool FileWatch::concerns(int descriptor, uint32_t mask, const char* name) {
  if ((mask & IN_Q_OVERFLOW) != 0) return true;
  const auto watched = watched_.find(descriptor);
  // IN_IGNORED follows what was told already, or what we stopped watching ourselves.
  if (watched == watched_.end() || (mask & IN_IGNORED) != 0) return false;
  if (*name != '\0' && !watched->second.has(name)) return false;
  // A file that is written and still open is not done; a rename or anything else leaves it whole.
  is_open_ = (mask & IN_MODIFY) != 0 || (is_open_ && (mask & (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)) == 0);
  return true;
}

bool FileWatch::Names::has(const char* name) const {
  return some.count(name) > 0 || (are_rules_files && is_rules_file(name));
}

void FileWatch::walk() {
  next_.clear();
  if (inotify_) {
    for (const std::string& path : paths_) {
      walk_trail(path, *this);
      watch_files_in(path);
    }
  }
  for (const auto& [descriptor, names] : watched_) {
    if (next_.count(descriptor) == 0) inotify_rm_watch(inotify_.get(), descriptor);
  }
  watched_.swap(next_);
}

// Nothing where the path is no folder. The folder is watched before its files are listed, so that none is missed.
void FileWatch::watch_files_in(const std::string& path) {
  const auto descriptor = watch(path, kOfEntry);
  if (!descriptor) return;
  next_[*descriptor].are_rules_files = true;
  for (const std::string& file : rules_files_at(path).paths) walk_trail(file, *this);
}

std::optional<int> FileWatch::watch(const std::string& path, uint32_t mask) {
  const int descriptor = inotify_add_watch(inotify_.get(), path.c_str(), mask | IN_MASK_ADD);
  if (descriptor < 0) return std::nullopt;
  next_[descriptor];
  return descriptor;
}

void FileWatch::watch_entry(const std::string& folder, const std::string& name) {
  if (const auto descriptor = watch(folder, kOfEntry)) next_[*descriptor].some.insert(name);
}

// Where a folder may be passed but not read, the poll is left; the trail goes on all the same.
bool FileWatch::watch_folder(const std::string& folder) {
  return watch(folder, kOfFolder).has_value() || errno == EACCES || errno == ENOSPC;
}

void FileWatch::watch_file(const std::string& file) { watch(file, kOfFile); }

std::vector<FileWatch::Found> FileWatch::look() const {
  std::vector<Found> found;
  for (const std::string& path : paths_) {
    for (const std::string& file : rules_files_at(path).paths) found.push_back({file, FileIdentity::of(file)});
  }
  return found;
}

void FileWatch::wake_at(Clock::time_point when) {
  if (!timer_) return;
  // A timer set to zero would never fire.
  const auto ns = std::max<int64_t>(1, std::chrono::nanoseconds(when.time_since_epoch()).count());
  itimerspec at{};
  at.it_value.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  at.it_value.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

}  // namespace sluice::rules
