#include "rules/file/reloader.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "rules/language/rules_folder.h"

namespace sluice::rules {
namespace {

// Larger files are not compared byte by byte: every change of theirs is loaded. Loaders refuse them anyway.
constexpr size_t kMostCompared = size_t{64} << 20;

sigset_t only_sighup() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

Descriptor open_sighup() {
  const sigset_t set = only_sighup();
  return Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

// Handlers of the program are not for this thread to run.
void name_and_shield_this_thread() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "sluice-reload");
}

std::vector<std::string> watched_paths(const Reloader::Options& options) {
  std::vector<std::string> paths = {options.path};
  paths.insert(paths.end(), options.also.begin(), options.also.end());
  return paths;
}

// The bytes of a file, or something that no two failures of different kinds share.
std::string content_of(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat found;
  if (!file || fstat(file.get(), &found) != 0) return "unreadable: " + std::to_string(errno);
  // What a pipe holds can be read only once, and that is for the loader.
  if (!S_ISREG(found.st_mode)) return "no file: " + std::to_string(found.st_mode);
  std::string bytes = "file: ";
  char buffer[64 * 1024];
  for (ssize_t length; (length = read(file.get(), buffer, sizeof(buffer))) != 0;) {
    if (length < 0) return "unreadable: " + std::to_string(errno);
    bytes.append(buffer, static_cast<size_t>(length));
    if (bytes.size() > kMostCompared) return {};
  }
  return bytes;
}

}  // namespace

void block_sighup() {
  const sigset_t set = only_sighup();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Reloader::Reloader(Options options, Loader load, Listener listener)
    : options_(std::move(options)),
      load_(std::move(load)),
      listener_(std::move(listener)),
      watch_(watched_paths(options_), options_.watch),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      sighup_(options_.on_sighup ? open_sighup() : Descriptor()) {
  seen_ = content();
  this->load();
  start();
}

void Reloader::start() {
  if (!wake_ || (options_.on_sighup && !sighup_)) return refuse_to_watch("there is no descriptor left to wait on");
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    refuse_to_watch(error.what());
  }
}

Reloader::~Reloader() {
  if (!thread_.joinable()) return;
  is_stopping_ = true;
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Reloader::poke() {
  is_poked_ = true;
  eventfd_write(wake_.get(), 1);
}

Reloader::Status Reloader::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Reloader::run() {
  name_and_shield_this_thread();
  for (;;) {
    wait();
    if (is_stopping_) return;
    const bool is_asked = take_signals();
    const bool has_changed = watch_.changed();
    if (is_asked) {
      seen_ = content();
      load();
    } else if (has_changed) {
      load_if_different();
    }
  }
}

void Reloader::wait() {
  // poll() passes over descriptors that are -1.
  pollfd sources[] = {{wake_.get(), POLLIN, 0}, {sighup_.get(), POLLIN, 0}, {watch_.fd(), POLLIN, 0}};
  const int timeout_ms = watch_.fd() < 0 ? static_cast<int>(options_.watch.poll.count()) : -1;
  poll(sources, std::size(sources), timeout_ms);
}

// Whether anyone asked for a load, by SIGHUP or poke().
bool Reloader::take_signals() {
  uint64_t wakes = 0;
  eventfd_read(wake_.get(), &wakes);
  bool any = is_poked_.exchange(false);
  signalfd_siginfo signal;
  while (sighup_ && read(sighup_.get(), &signal, sizeof(signal)) == sizeof(signal)) any = true;
  return any;
}

// The content is read before the file is loaded: what comes in between is found different by the next change.
void Reloader::load_if_different() {
  std::string found = content();
  if (!found.empty() && found == seen_) return;
  seen_ = std::move(found);
  load();
}

void Reloader::load() {
  const Loaded loaded = load_(options_.path);
  const bool is_good = loaded.rules != nullptr;
  if (is_good && listener_.rules) listener_.rules(loaded.rules);
  if (!is_good && listener_.faults) listener_.faults(loaded.faults);
  // Last, so that whoever sees a generation here finds its rules in force.
  const std::lock_guard lock(mutex_);
  status_.faults = loaded.faults;
  status_.is_current = is_good;
  ++(is_good ? status_.generation : status_.refused);
  if (!is_good) return;
  status_.loaded_at = std::chrono::system_clock::now();
}

// Of all files, one after the other, each behind its name; empty where they are too large to compare.
std::string Reloader::content() const {
  std::string all;
  const auto add = [&](const std::string& text) { all += std::to_string(text.size()) + ":" + text; };
  for (const std::string& path : watched_paths(options_)) {
    const RulesFiles files = rules_files_at(path);
    add(files.trouble);
    for (const std::string& file : files.paths) {
      const std::string bytes = content_of(file);
      if (bytes.empty() || all.size() + bytes.size() > kMostCompared) return {};
      add(file);
      add(bytes);
    }
  }
  return all;
}

void Reloader::refuse_to_watch(const std::string& what) {
  Fault fault;
  fault.file = options_.path;
  fault.message = "changes of these rules will not be noticed: " + what;
  fault.hint = "raise the limits on open files and threads, then start again";
  if (listener_.faults) listener_.faults({fault});
}

}  // namespace sluice::rules
