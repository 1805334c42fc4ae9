// For tests: a client on a loop with a thread of its own, and requests that remember what they were told.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redis/client.h"
#include "redis_servers/process.h"

namespace sluice::redis {

using redis_testing::wait_until;

inline std::string to_text(const Reply& reply) {
  switch (reply.type()) {
    case Reply::Type::kNil: return "nil";
    case Reply::Type::kInteger: return std::to_string(reply.integer());
    case Reply::Type::kError: return "-" + std::string(reply.text());
    case Reply::Type::kArray: break;
    default: return std::string(reply.text());
  }
  std::string text = "[";
  for (const Reply& element : reply.elements()) text += (text.size() > 1 ? " " : "") + to_text(element);
  return text + "]";
}

// Made by a test's thread, sent by the loop's; what it was told is for the test once is_told.
class Question final : public Request {
 public:
  // Its key is the second word, unless another is given.
  explicit Question(std::initializer_list<std::string_view> words, std::string_view key = {}) {
    append_command(command, words);
    if (words.size() > 1) slot = slot_of(key.empty() ? words.begin()[1] : key);
  }

  std::string answer;  // `unknown` or `not sent` for a failure, `refused` if it was not taken on
  std::chrono::steady_clock::time_point sent_at, told_at;
  std::atomic<bool> is_told{false};
  std::atomic<int> times_told{0};

  void tell(std::string text) {
    answer = std::move(text);
    told_at = std::chrono::steady_clock::now();
    ++times_told;
    is_told = true;
  }
  std::chrono::milliseconds took() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(told_at - sent_at);
  }

 private:
  void on_reply(const Reply& reply) override { tell(to_text(reply)); }
  void on_failure(Failure failure) override { tell(failure == Failure::kUnknown ? "unknown" : "not sent"); }
};

class ClientOnLoop final : private StatusListener {
 public:
  explicit ClientOnLoop(Options options) : loop_(std::move(std::get<std::unique_ptr<net::Loop>>(net::Loop::create()))) {
    thread_ = std::thread([this] { loop_->run(); });
    on_loop([&] {
      auto made = Client::create(*loop_, options, this);
      if (auto* why = std::get_if<std::string>(&made)) ADD_FAILURE() << *why;
      client_ = std::move(std::get<std::unique_ptr<Client>>(made));
    });
  }
  // With time enough for a busy machine.
  explicit ClientOnLoop(const std::string& url) : ClientOnLoop(patient(url)) {}
  ~ClientOnLoop() {
    on_loop([&] { client_.reset(); });
    loop_->stop();
    thread_.join();
  }

  static Options options_for(const std::string& url) {
    auto read = read_place(url);
    if (const auto* why = std::get_if<std::string>(&read)) ADD_FAILURE() << *why;
    Options options;
    options.place = std::get<Place>(read);
    return options;
  }
  static Options patient(const std::string& url) {
    Options options = options_for(url);
    options.connect_ms = options.request_ms = 1000;
    return options;
  }

  template <class Task>
  void on_loop(const Task& task) {
    std::promise<void> done;
    loop_->post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  // All in one turn of the loop.
  void send(const std::vector<Question*>& questions) {
    on_loop([&] {
      for (Question* const question : questions) {
        question->sent_at = std::chrono::steady_clock::now();
        if (!client_->send(*question)) question->tell("refused");
      }
    });
  }
  std::string ask(Question& question) {
    send({&question});
    EXPECT_TRUE(wait_until([&] { return question.is_told.load(); }));
    return question.answer;
  }
  std::string ask(std::initializer_list<std::string_view> words) {
    Question question(words);
    return ask(question);
  }
  // Until it is the answer.
  bool comes_to_say(const std::string& answer, std::initializer_list<std::string_view> words,
                    std::chrono::milliseconds patience = std::chrono::milliseconds(15'000)) {
    return wait_until([&] { return ask(words) == answer; }, patience);
  }
  bool comes_up() {
    return wait_until([&] { return client_->status().connections_up > 0; });
  }
  bool comes_to_complain_of(const std::string& why) {
    return wait_until([&] { return client_->status().why.find(why) != std::string::npos; });
  }

  Client& client() { return *client_; }
  net::Loop& loop() { return *loop_; }
  std::atomic<int> changes{0};

 private:
  void on_change(const ServerStatus&) override { ++changes; }

  std::unique_ptr<net::Loop> loop_;
  std::unique_ptr<Client> client_;
  std::thread thread_;
};

}  // namespace sluice::redis
