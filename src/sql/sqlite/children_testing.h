// Children for tests: other users, processes that are killed, disks that are full. They must not use gtest.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

namespace sluice::sql::sqlite {

// What the child's body returns is its exit status.
class Child {
 public:
  explicit Child(const std::function<int()>& body) : pid_(fork()) {
    if (pid_ == 0) _exit(body());
  }
  ~Child() {
    if (pid_ > 0) kill_now();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int exit_status() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

constexpr int kNotPermitted = 77;

// Rights do not hold root back: what they do is looked at as somebody else.
inline int as_nobody(const std::function<int()>& body) {
  Child child([&] {
    const bool is_root = geteuid() == 0;
    if (is_root && (setgid(65534) != 0 || setuid(65534) != 0)) return kNotPermitted;
    return body();
  });
  return child.exit_status();
}

// A folder on a disk of so many bytes, which nobody else sees and which goes with the child.
inline int on_a_small_disk(size_t bytes, const std::string& folder, const std::function<int()>& body) {
  Child child([&] {
    const int spaces = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    const std::string size = "size=" + std::to_string(bytes);
    if (unshare(spaces) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kNotPermitted;
    if (mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) != 0) return kNotPermitted;
    return body();
  });
  return child.exit_status();
}

// Takes what room is left. Removing the file makes room again.
inline void fill_disk(const std::string& file) {
  std::ofstream filler(file, std::ios::binary);
  const std::string piece(4096, 'x');
  while (filler.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush()) continue;
}

// No file may be longer than this, as on a disk with a quota.
inline void limit_files(size_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

inline void lift_limit_on_files() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace sluice::sql::sqlite
