// Keeps rules in step with their file, or with the files of a folder: loads them at the start, when one changes, comes
// or goes, on SIGHUP and when poked. All or nothing: a file with faults leaves the last good rules in force, and says
// so.
//
// Owns one thread. The functions that it is given are called in the constructor, then on that thread only, one at a
// time; they must not destroy the Reloader. All else may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/descriptor.h"
#include "rules/file/file_watch.h"
#include "rules/language/load.h"
#include "rules/language/source.h"

namespace sluice::rules {

// To be called by main before it starts any thread, by which all threads inherit it: a SIGHUP that any thread does not
// block ends the process instead of reaching the Reloader. Children started later should unblock it.
void block_sighup();

class Reloader final : public Source {
 public:
  struct Options {
    std::string path;  // of a file or a folder
    // Files that the loader reads too, such as keys: a change of theirs counts as one of the rules.
    std::vector<std::string> also;
    // Of one Reloader in a process: each SIGHUP reaches only one.
    bool on_sighup = true;
    FileWatch::Options watch{};
  };

  using Loader = std::function<Loaded(const std::string& path)>;

  using Listener = SourceListener;
  using Status = SourceStatus;

  // Loads once before it returns: status() then tells whether there are rules. What the kernel refuses is told to the
  // listener as a fault; rules that were loaded stay in force.
  Reloader(Options options, Loader load, Listener listener);
  // Waits for a load that is under way, and for nothing else.
  ~Reloader() override;
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  // Like SIGHUP.
  void poke() override;

  Status status() const override;

 private:
  void start();
  void run();
  void wait();
  bool take_signals();
  void load_if_different();
  void load();
  std::string content() const;
  void refuse_to_watch(const std::string& what);

  const Options options_;
  const Loader load_;
  const Listener listener_;
  FileWatch watch_;
  Descriptor wake_;
  Descriptor sighup_;
  std::string seen_;  // the content that was last loaded, good or bad

  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_poked_{false};
  mutable std::mutex mutex_;
  Status status_;  // under mutex_
  std::thread thread_;
};

}  // namespace sluice::rules
