// What the tests of this folder share: a folder of their own with real files, and waiting with a deadline.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "rules/file/file_watch.h"

namespace sluice::rules {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kDeadline = 20s;

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (fs::temp_directory_path() / "sluice_file_XXXXXX").string();
    path_ = fs::canonical(mkdtemp(pattern.data()));
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

inline void write_in_place(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// As editors and `mv` do it.
inline void replace(const std::string& path, const std::string& text) {
  write_in_place(path + ".new", text);
  fs::rename(path + ".new", path);
}

inline std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A volume as kubelet's AtomicWriter keeps it: rules.yaml -> ..data/rules.yaml, ..data -> ..STAMP.
class ConfigMapVolume {
 public:
  using Texts = std::map<std::string, std::string>;  // by the names of the files

  explicit ConfigMapVolume(std::string folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }

  const std::string& folder() const { return folder_; }
  std::string file() const { return folder_ + "/rules.yaml"; }

  void publish(const std::string& text) { publish(Texts{{"rules.yaml", text}}); }

  void publish(const Texts& texts) {
    const std::string before = fs::exists(folder_ + "/..data") ? fs::read_symlink(folder_ + "/..data").string() : "";
    const std::string stamp = "..2026_11_15_10_00_00." + std::to_string(++writes_);
    fs::create_directory(folder_ + "/" + stamp);
    for (const auto& [name, text] : texts) write_in_place(folder_ + "/" + stamp + "/" + name, text);
    fs::permissions(folder_ + "/" + stamp, fs::perms(0755));
    fs::create_symlink(stamp, folder_ + "/..data_tmp");
    fs::rename(folder_ + "/..data_tmp", folder_ + "/..data");
    for (const auto& [name, text] : texts) {
      if (shown_.insert(name).second) fs::create_symlink("..data/" + name, folder_ + "/" + name);
    }
    std::erase_if(shown_,
                  [&](const std::string& name) { return !texts.contains(name) && fs::remove(folder_ + "/" + name); });
    if (!before.empty()) fs::remove_all(folder_ + "/" + before);
  }

 private:
  std::string folder_;
  std::set<std::string> shown_;
  int writes_ = 0;
};

// Looks every few milliseconds; false if it did not come true before the deadline.
template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// Waits on the descriptor as an event loop does.
inline bool tells_change(FileWatch& watch, std::chrono::milliseconds longest = kDeadline) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd source{watch.fd(), POLLIN, 0};
    if (left <= 0 || poll(&source, 1, static_cast<int>(left)) <= 0) return false;
    if (watch.changed()) return true;
  }
}

}  // namespace sluice::rules
