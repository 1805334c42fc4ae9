// A PostgreSQL of the test program's own, in a temporary folder and on a local socket: see cluster.py, which runs it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "net/descriptor.h"

namespace sluice::postgres_testing {

// Fails the test program when something takes a minute. Used by one thread at a time.
class Cluster {
 public:
  enum class Disk { kCareless, kDurable };  // durable: what was committed outlives kill()

  explicit Cluster(Disk disk = Disk::kCareless);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Of a database that nobody has used yet.
  std::string fresh_database();
  // The local socket, for those who want to come between.
  std::string socket_path() const;

  void start() { command("start"); }
  // Sends everybody away.
  void stop() { command("stop"); }
  // SIGKILL, for all its processes.
  void kill() { command("kill"); }

 private:
  void command(const std::string& word);
  std::string read_line();

  pid_t pid_ = -1;
  net::Descriptor to_, from_;
  std::string url_;
  int databases_ = 0;
};

// The one that the tests of a program share; started when it is first asked for, gone with the program.
Cluster& shared_cluster();

// What psql prints, rows unaligned; of a statement that fails, its complaint.
std::string psql(const std::string& url, const std::string& sql);
// The same, without waiting for the end of it.
class Psql {
 public:
  Psql(const std::string& url, const std::string& sql);
  ~Psql() { finish(); }
  Psql(const Psql&) = delete;
  Psql& operator=(const Psql&) = delete;

  std::string finish();

 private:
  pid_t pid_ = -1;
  net::Descriptor from_;
  std::string printed_;
};

}  // namespace sluice::postgres_testing
