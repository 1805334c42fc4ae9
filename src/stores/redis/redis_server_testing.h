// A Redis of the test program's own, in a temporary folder and on a local socket, and a client that waits.
#pragma once

#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sluice::redis_store {

struct RedisReply {
  int type = REDIS_REPLY_NIL;
  std::string text;  // of strings, statuses and errors
  long long integer = 0;
  std::vector<RedisReply> elements;

  bool is_error() const { return type == REDIS_REPLY_ERROR; }
};

// Ends the test program when something takes half a minute. Used by one thread.
class RedisServer {
 public:
  RedisServer() {
    char folder[] = "/tmp/sluice-redis-XXXXXX";
    if (mkdtemp(folder) == nullptr) give_up("no folder");
    folder_ = folder;
    start();
    client_ = connect();
  }
  ~RedisServer() {
    client_.reset();
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  RedisReply command(const std::vector<std::string_view>& words) {
    send(words);
    return receive();
  }
  // Several commands may be on their way.
  void send(const std::vector<std::string_view>& words) {
    std::vector<const char*> texts;
    std::vector<size_t> sizes;
    for (const std::string_view word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(client_.get(), static_cast<int>(words.size()), texts.data(), sizes.data()) != REDIS_OK) {
      give_up(client_->errstr);
    }
  }
  RedisReply receive() {
    void* reply = nullptr;
    if (redisGetReply(client_.get(), &reply) != REDIS_OK) give_up(client_->errstr);
    const RedisReply copy = copy_of(*static_cast<redisReply*>(reply));
    freeReplyObject(reply);
    return copy;
  }

  // The processor time that Redis has used.
  double cpu_seconds() {
    const std::string info = command({"INFO", "cpu"}).text;
    double sum = 0;
    for (const char* name : {"used_cpu_user:", "used_cpu_sys:"}) {
      sum += strtod(info.c_str() + info.find(name) + std::string_view(name).size(), nullptr);
    }
    return sum;
  }

 private:
  struct Free {
    void operator()(redisContext* client) const { redisFree(client); }
  };
  using Client = std::unique_ptr<redisContext, Free>;

  [[noreturn]] static void give_up(const std::string& why) {
    fprintf(stderr, "the tests' Redis: %s\n", why.c_str());
    exit(1);
  }

  std::string socket() const { return folder_ + "/socket"; }

  void start() {
    const std::string path = socket();
    pid_ = fork();
    if (pid_ < 0) give_up("no process");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path.c_str(), "--dir", folder_.c_str(),
           "--save", "", "--appendonly", "no", "--logfile", "log", static_cast<char*>(nullptr));
    _exit(127);
  }

  Client connect() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      Client client(redisConnectUnix(socket().c_str()));
      if (client != nullptr && client->err == 0) {
        redisSetTimeout(client.get(), timeval{30, 0});
        return client;
      }
      if (std::chrono::steady_clock::now() > deadline) give_up("it does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  static RedisReply copy_of(const redisReply& reply) {
    RedisReply copy;
    copy.type = reply.type;
    copy.integer = reply.integer;
    if (reply.str != nullptr) copy.text.assign(reply.str, reply.len);
    for (size_t i = 0; i < reply.elements; ++i) copy.elements.push_back(copy_of(*reply.element[i]));
    return copy;
  }

  std::string folder_;
  pid_t pid_ = -1;
  Client client_;
};

// The one that the tests of a program share; started when it is first asked for, gone with the program.
inline RedisServer& shared_redis() {
  static RedisServer server;
  return server;
}

}  // namespace sluice::redis_store
