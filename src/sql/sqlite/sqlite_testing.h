// What the tests on SQLite files share: a folder of their own, outcomes in words, and the sqlite3 command.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "sql/outcome.h"

namespace sluice::sql::sqlite {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice_sqlite_XXXXXX").string();
    path_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Holds when there is a value; else the test's output has the fault.
template <class T>
::testing::AssertionResult is_done(const Outcome<T>& outcome) {
  if (outcome) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << outcome.fault().message << " (hint: " << outcome.fault().hint << ")";
}

template <class T>
::testing::AssertionResult fails_with(const Outcome<T>& outcome, Trouble trouble, const std::string& words) {
  if (outcome) return ::testing::AssertionFailure() << "there is no fault";
  const Fault& fault = outcome.fault();
  if (fault.trouble == trouble && fault.message.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "trouble " << int(fault.trouble) << ": " << fault.message;
}

// What the real sqlite3 prints, on both of its outputs, when this is typed into it.
inline std::string typed_into_sqlite3(const std::string& file, const std::string& sql) {
  const std::string script = file + ".typed.sql";
  std::ofstream(script, std::ios::binary) << sql;
  const std::string command = "sqlite3 -batch '" + file + "' < '" + script + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string printed;
  std::array<char, 4096> buffer{};
  for (size_t length; (length = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    printed.append(buffer.data(), length);
  pclose(pipe);
  std::filesystem::remove(script);
  return printed;
}

}  // namespace sluice::sql::sqlite
