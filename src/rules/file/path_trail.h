// Every folder, symlink and file on the way from the root to what a path names: where a change of any of them shows.
// Not thread-safe.
#pragma once

#include <string>

namespace sluice::rules {

// Told what to watch, each before it is looked at, so that no change falls between the look and the watch.
class TrailWatcher {
 public:
  virtual ~TrailWatcher() = default;

  // What this name of a folder stands for: there, another, or gone.
  virtual void watch_entry(const std::string& folder, const std::string& name) = 0;
  // A folder on the way: moved or removed. False if there is none (any more).
  virtual bool watch_folder(const std::string& folder) = 0;
  // The file at the end: written, moved or removed.
  virtual void watch_file(const std::string& file) = 0;
};

// REQUIRES: path is absolute. Goes as far as there is something, and through at most 40 symlinks.
void walk_trail(const std::string& path, TrailWatcher& watcher);

}  // namespace sluice::rules
