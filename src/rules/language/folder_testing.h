// For tests of rules on a disk: a folder of their own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sluice::rules {

class InAFolder : public ::testing::Test {
 protected:
  InAFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_rules_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~InAFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::filesystem::path folder_;
};

}  // namespace sluice::rules
