#include "postgres/cluster.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <optional>
#include <vector>

extern char** environ;

namespace sluice::postgres_testing {
namespace {

constexpr int kPatienceMs = 60'000;

[[noreturn]] void give_up(const std::string& why) {
  fprintf(stderr, "the tests' PostgreSQL: %s\n", why.c_str());
  exit(1);
}

struct Pipe {
  net::Descriptor read, write;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe");
    read = net::Descriptor(ends[0]);
    write = net::Descriptor(ends[1]);
  }
};

// Its input and output are ours where given; what it complains of is part of `out` if that is asked for.
pid_t spawn(const std::vector<std::string>& words, std::optional<int> in, int out, bool with_errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (in) posix_spawn_file_actions_adddup2(&actions, *in, STDIN_FILENO);
  if (!in) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (with_errors) posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) give_up("cannot run " + words[0]);
  return pid;
}

// Nothing at the end of the input.
std::optional<char> read_byte(int fd) {
  pollfd source{fd, POLLIN, 0};
  if (poll(&source, 1, kPatienceMs) <= 0) give_up("no answer for a minute");
  char byte = 0;
  return read(fd, &byte, 1) == 1 ? std::optional(byte) : std::nullopt;
}

}  // namespace

Cluster::Cluster(Disk disk) {
  // A test that fails on a broken pipe says more than one that is killed by it.
  signal(SIGPIPE, SIG_IGN);
  Pipe in, out;
  std::vector<std::string> words = {SLUICE_PYTHON3, "-B", SLUICE_POSTGRES_CLUSTER};
  if (disk == Disk::kDurable) words.emplace_back("--durable");
  pid_ = spawn(words, in.read.get(), out.write.get(), false);
  to_ = std::move(in.write);
  from_ = std::move(out.read);
  out.write = net::Descriptor();
  url_ = read_line();
}

Cluster::~Cluster() {
  to_ = net::Descriptor();
  waitpid(pid_, nullptr, 0);
}

std::string Cluster::read_line() {
  std::string line;
  for (;;) {
    const std::optional<char> byte = read_byte(from_.get());
    if (!byte) give_up("it ended");
    if (*byte == '\n') return line;
    line += *byte;
  }
}

void Cluster::command(const std::string& word) {
  const std::string line = word + "\n";
  if (write(to_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) give_up("it is gone");
  if (const std::string answer = read_line(); answer != "done " + word) give_up("it said " + answer);
}

std::string Cluster::fresh_database() {
  const std::string name = "test_" + std::to_string(++databases_);
  if (const std::string said = psql(url_, "CREATE DATABASE " + name); !said.empty()) give_up(said);
  std::string url = url_;
  return url.replace(url.find("/postgres?"), 9, "/" + name);
}

std::string Cluster::socket_path() const {
  const size_t begin = url_.find("host=") + 5;
  return url_.substr(begin, url_.find('&') - begin) + "/.s.PGSQL.5432";
}

Cluster& shared_cluster() {
  static Cluster cluster;
  return cluster;
}

Psql::Psql(const std::string& url, const std::string& sql) {
  Pipe out;
  pid_ = spawn({"psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql}, std::nullopt, out.write.get(), true);
  from_ = std::move(out.read);
}

std::string Psql::finish() {
  if (pid_ < 0) return printed_;
  while (const std::optional<char> byte = read_byte(from_.get())) printed_ += *byte;
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  if (!printed_.empty() && printed_.back() == '\n') printed_.pop_back();
  return printed_;
}

std::string psql(const std::string& url, const std::string& sql) { return Psql(url, sql).finish(); }

}  // namespace sluice::postgres_testing
