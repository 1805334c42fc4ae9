// Notices when what paths name has changed: written in place, replaced by rename, led elsewhere by any symlink on the
// way (as Kubernetes swaps ConfigMaps), deleted, created, or its folder replaced. A path need not exist yet. One that
// is a folder names the rules files in it (rules/language/rules_folder.h): which they are, and each of them.
//
// inotify tells at once; a slow poll finds what inotify missed (a full queue, a network file system, a mount), and does
// all the work where the kernel gives no inotify. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/descriptor.h"
#include "rules/file/file_identity.h"
#include "rules/file/path_trail.h"

namespace sluice::rules {

using net::Descriptor;

class FileWatch : private TrailWatcher {
 public:
  struct Options {
    // A change is told when nothing has happened for so long, so that a file is not read at its first byte ...
    std::chrono::milliseconds quiet{50};
    // ... but no later than this after it began; this long also for whoever keeps the file open after a write.
    std::chrono::milliseconds longest{1000};
    std::chrono::milliseconds poll{2000};
    bool use_inotify = true;
  };

  // Relative paths are those of the folder that is the current one now. What the paths name at this moment counts as
  // taken: read it after this, and no change is missed.
  FileWatch(std::vector<std::string> paths, Options options);
  explicit FileWatch(std::vector<std::string> paths) : FileWatch(std::move(paths), Options()) {}
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Readable whenever changed() is worth a call. -1 where the kernel gave none: then call it every so often.
  int fd() const { return events_.get(); }

  // Whether something has changed since this last said so, and has come to rest. What is read after it is at least as
  // new. May also say so of the same bytes: events count even where two writes left one identity.
  bool changed();

  // False where only the poll finds changes.
  bool has_inotify() const { return static_cast<bool>(inotify_); }

 private:
  using Clock = std::chrono::steady_clock;

  // Which names in a folder count.
  struct Names {
    std::set<std::string> some;
    bool are_rules_files = false;  // all of those, beside `some`

    bool has(const char* name) const;
  };
  struct Found {
    std::string file;
    FileIdentity identity;

    friend bool operator==(const Found&, const Found&) = default;
  };

  void watch_entry(const std::string& folder, const std::string& name) override;
  bool watch_folder(const std::string& folder) override;
  void watch_file(const std::string& file) override;
  std::optional<int> watch(const std::string& path, uint32_t mask);

  void walk();
  void watch_files_in(const std::string& path);
  std::vector<Found> look() const;
  bool drain();
  bool concerns(int descriptor, uint32_t mask, const char* name);
  void begin_or_extend(Clock::time_point now);
  Clock::time_point settles_at() const;
  void wake_at(Clock::time_point when);

  std::vector<std::string> paths_;
  const Options options_;
  std::vector<Found> taken_;

  Descriptor inotify_;
  Descriptor timer_;
  Descriptor events_;             // epoll of the two above
  std::map<int, Names> watched_;  // by watch descriptor
  std::map<int, Names> next_;     // the same, while the trails are walked anew

  // A change under way: when it began, when it was last seen, and whether somebody has written and not closed yet.
  std::optional<Clock::time_point> began_;
  Clock::time_point latest_;
  bool is_open_ = false;
  Clock::time_point next_poll_;
};

}  // namespace sluice::rules
