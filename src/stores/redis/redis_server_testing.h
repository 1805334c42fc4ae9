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

// Ends the test program when something takes half a minute, as everything here does. Used by one thread.
class RedisClient {
 public:
  explicit RedisClient(const std::string& socket) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      context_.reset(redisConnectUnix(socket.c_str()));
      if (context_ != nullptr && context_->err == 0) break;
      if (std::chrono::steady_clock::now() > deadline) give_up("it does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    redisSetTimeout(context_.get(), timeval{30, 0});
  }

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
    redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data());
  }
  RedisReply receive() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) give_up(context_->errstr);
    const RedisReply copy = copy_of(*static_cast<redisReply*>(reply));
    freeReplyObject(reply);
    return copy;
  }

  [[noreturn]] static void give_up(const std::string& why) {
    fprintf(stderr, "the tests' Redis: %s\n", why.c_str());
    exit(1);
  }

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  static RedisReply copy_of(const redisReply& reply) {
    RedisReply copy;
    copy.type = reply.type;
    copy.integer = reply.integer;
    if (reply.str != nullptr) copy.text.assign(reply.str, reply.len);
    for (size_t i = 0; i < reply.elements; ++i) copy.elements.push_back(copy_of(*reply.element[i]));
    return copy;
  }

  std::unique_ptr<redisContext, Free> context_;
};

class RedisServer {
 public:
  // With more options than those every test wants.
  explicit RedisServer(const std::vector<std::string>& options = {}) {
    char folder[] = "/tmp/sluice-redis-XXXXXX";
    if (mkdtemp(folder) == nullptr) RedisClient::give_up("no folder");
    folder_ = folder;
    start(options);
    client_ = std::make_unique<RedisClient>(socket());
  }
  ~RedisServer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  RedisClient& client() { return *client_; }
  RedisReply command(const std::vector<std::string_view>& words) { return client_->command(words); }
  std::string socket() const { return folder_ + "/socket"; }

  // The processor time that Redis has used.
  double cpu_seconds() {
    const std::string info = command({"INFO", "cpu"}).text;
    double sum = 0;
    for (const std::string_view name : {"used_cpu_user:", "used_cpu_sys:"}) {
      sum += strtod(info.c_str() + info.find(name) + name.size(), nullptr);
    }
    return sum;
  }

 private:
  void start(const std::vector<std::string>& options) {
    std::vector<std::string> words{"redis-server", "--port", "0", "--unixsocket", socket(), "--dir",
                                   folder_,        "--save", "",  "--appendonly", "no",     "--logfile",
                                   "log"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ < 0) RedisClient::give_up("no process");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }

  std::string folder_;
  pid_t pid_ = -1;
  std::unique_ptr<RedisClient> client_;
};

// The one that the tests of a program share; started when it is first asked for, gone with the program.
inline RedisServer& shared_redis() {
  static RedisServer server;
  return server;
}

}  // namespace sluice::redis_store
