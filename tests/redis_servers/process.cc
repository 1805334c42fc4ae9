#include "redis_servers/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace sluice::redis_testing {

void give_up(const std::string& why) {
  fprintf(stderr, "the tests' Redis: %s\n", why.c_str());
  exit(1);
}

bool wait_until(const std::function<bool()>& holds, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

Process::Process(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) give_up("cannot write " + output);
  pid_ = fork();
  if (pid_ == 0) {
    // A test program that is killed takes it along.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(out);
  if (pid_ < 0) give_up("cannot run " + words[0]);
}

Process::~Process() { kill(); }

void Process::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  finish();
}

void Process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

bool Process::is_running() {
  if (pid_ < 0) return false;
  if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

int Process::finish() {
  if (pid_ < 0) return -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string run(const std::vector<std::string>& words) {
  const Folder folder;
  const std::string output = folder.file("output");
  Process(words, output).finish();
  std::stringstream text;
  text << std::ifstream(output).rdbuf();
  std::string printed = text.str();
  while (!printed.empty() && printed.back() == '\n') printed.pop_back();
  return printed;
}

Folder::Folder() {
  char name[] = "/tmp/sluice_redis_XXXXXX";
  if (mkdtemp(name) == nullptr) give_up("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sluice::redis_testing
