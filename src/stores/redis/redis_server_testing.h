// A Redis of the test program's own, in a temporary folder and on a local socket, and a client that waits.
#pragma once

#include <hiredis/hiredis.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "redis_servers/server.h"

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
  // With more settings than those every test wants.
  explicit RedisServer(std::vector<std::string> settings = {}) : server_(std::move(settings)) {}

  RedisReply command(const std::vector<std::string_view>& words) { return client_.command(words); }
  RedisClient& client() { return client_; }
  std::string socket() const { return server_.socket_path(); }

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
  redis_testing::Server server_;
  RedisClient client_{server_.socket_path()};
};

// The one that the tests of a program share; started when it is first asked for, gone with the program.
inline RedisServer& shared_redis() {
  static RedisServer server;
  return server;
}

}  // namespace sluice::redis_store
