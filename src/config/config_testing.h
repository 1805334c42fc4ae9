// Settings from made-up surroundings, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/table.h"

namespace sluice::config {

using Words = std::vector<std::string>;

inline Loaded load_with(const Words& arguments, const Words& environment = {}) {
  return load({arguments, environment});
}

// All faults as they would be shown.
inline Words told(const std::vector<Fault>& faults) {
  Words words;
  for (const Fault& fault : faults) words.push_back(describe(fault));
  return words;
}

inline const Origin& origin_of(const Loaded& loaded, std::string_view name) {
  return loaded.origins[index_of(*find_setting(name))];
}

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("sluice_config_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::ofstream(file) << text;
    return file.string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sluice::config
