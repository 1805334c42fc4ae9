#include "rules/file/path_trail.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::rules {
namespace {

constexpr int kMostSymlinks = 40;  // as the kernel has it

enum class Kind { kNothing, kFolder, kSymlink, kOther };

Kind kind_of(const std::string& path) {
  struct stat found;
  if (lstat(path.c_str(), &found) != 0) return Kind::kNothing;
  if (S_ISDIR(found.st_mode)) return Kind::kFolder;
  return S_ISLNK(found.st_mode) ? Kind::kSymlink : Kind::kOther;
}

std::optional<std::string> target_of(const std::string& symlink) {
  char target[PATH_MAX];
  const ssize_t length = readlink(symlink.c_str(), target, sizeof(target));
  if (length <= 0) return std::nullopt;
  return std::string(target, static_cast<size_t>(length));
}

class Walk {
 public:
  explicit Walk(TrailWatcher& watcher) : watcher_(watcher) {}

  void go(const std::string& path) {
    follow(path);
    while (!names_.empty()) {
      const std::string name = std::move(names_.back());
      names_.pop_back();
      if (name == "..") {
        here_.resize(here_.empty() ? 0 : here_.rfind('/'));
      } else if (!step(name)) {
        return;
      }
    }
  }

 private:
  // Puts the names of a path before those still to go, and starts at the root if it says so.
  void follow(std::string_view path) {
    if (path.starts_with('/')) here_.clear();
    std::vector<std::string> names;
    for (size_t start = 0; start < path.size();) {
      const size_t end = std::min(path.find('/', start), path.size());
      const auto name = path.substr(start, end - start);
      if (!name.empty() && name != ".") names.emplace_back(name);
      start = end + 1;
    }
    names_.insert(names_.end(), names.rbegin(), names.rend());
  }

  // False where the trail ends.
  bool step(const std::string& name) {
    const std::string there = here_ + "/" + name;
    if (!names_.empty() && kind_of(there) == Kind::kFolder && watcher_.watch_folder(there)) {
      here_ = there;
      return true;
    }
    watcher_.watch_entry(here_.empty() ? "/" : here_, name);
    switch (kind_of(there)) {
      case Kind::kNothing: return false;
      case Kind::kFolder: here_ = there; return watcher_.watch_folder(there);
      case Kind::kSymlink: return through(there);
      case Kind::kOther: watcher_.watch_file(there); return false;
    }
    return false;
  }

  bool through(const std::string& symlink) {
    const auto target = target_of(symlink);
    if (!target || ++symlinks_ > kMostSymlinks) return false;
    follow(*target);
    return true;
  }

  TrailWatcher& watcher_;
  std::string here_;                // a folder by its real name; empty: the root
  std::vector<std::string> names_;  // still to go, the next one last
  int symlinks_ = 0;
};

}  // namespace

void walk_trail(const std::string& path, TrailWatcher& watcher) { Walk(watcher).go(path); }

}  // namespace sluice::rules
