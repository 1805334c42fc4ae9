// A program that a test runs. It never outlives the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace sluice::redis_testing {

// Ends the test program: what a test needs cannot be had.
[[noreturn]] void give_up(const std::string& why);

// Whether it holds within some time, looked at every few milliseconds.
bool wait_until(const std::function<bool()>& holds,
                std::chrono::milliseconds patience = std::chrono::milliseconds(15'000));

class Process {
 public:
  // Its output goes to a file, or nowhere.
  explicit Process(const std::vector<std::string>& words, const std::string& output = "/dev/null");
  // Kills it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // SIGKILL, and waits for its end.
  void kill();
  void signal(int number) const;
  bool is_running();
  // Its exit code; waits for it.
  int finish();

 private:
  pid_t pid_ = -1;
};

// Runs a program to its end; what it printed, without the last end of line.
std::string run(const std::vector<std::string>& words);

// A folder of its own, gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sluice::redis_testing
