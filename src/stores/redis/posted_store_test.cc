#include "stores/redis/posted_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "net/loop.h"

namespace sluice::redis_store {
namespace {

using stores::Progress;

// Writes what it was asked into what is left, at once or when the test says so. For the loop's thread.
class RemoteStore final : public stores::Store {
 public:
  Progress ask(stores::Ask& ask) override {
    if (is_late) {
      pending = &ask;
      return Progress::kPending;
    }
    answer(ask);
    return Progress::kAnswered;
  }
  void answer(stores::Ask& ask) {
    for (size_t i = 0; i < ask.takes.size(); ++i) {
      keys += ask.takes[i].key;
      ask.results[i].decision.remaining = ask.takes[i].limit->capacity() - ask.takes[i].cost;
    }
    ask.not_asked = 2;
  }
  void tell() {
    answer(*pending);
    std::exchange(pending, nullptr)->listener->on_answer(Progress::kAnswered);
  }

  bool is_late = false;
  stores::Ask* pending = nullptr;
  std::string keys;
};

class PostedStoreTest : public ::testing::Test {
 protected:
  PostedStoreTest() {
    posted_.attach(
        [this](std::function<void()> task) {
          if (is_gone_) return false;
          loop_->post(std::move(task));
          return true;
        },
        remote_);
  }
  ~PostedStoreTest() override { end(); }
  void end() {
    loop_->stop();
    if (thread_.joinable()) thread_.join();
  }

  // With memory of its own, that is gone when it returns.
  Progress ask() {
    const auto limit = std::make_unique<Limit>(*Limit::token_bucket(1, 10));
    const std::string key = "a key that is too long to lie within a string";
    const std::vector<Take> takes = {{key, limit.get(), Tokens::whole(3)}, {"b", limit.get()}};
    std::vector<stores::BucketResult> results(2);
    stores::Ask ask{stores::Action::kTake, takes, 2, Instant(), results, nullptr};
    const Progress progress = posted_.ask(ask);
    left_ = results[0].decision.remaining;
    not_asked_ = ask.not_asked;
    return progress;
  }

  std::unique_ptr<net::Loop> loop_ = std::move(std::get<std::unique_ptr<net::Loop>>(net::Loop::create()));
  RemoteStore remote_;
  PostedStore posted_;
  Tokens left_;
  uint32_t not_asked_ = 0;
  bool is_gone_ = false;
  std::thread thread_{[this] { loop_->run(); }};
};

TEST_F(PostedStoreTest, TellsWhatTheStoreOfTheLoopSays) {
  EXPECT_EQ(ask(), Progress::kAnswered);
  EXPECT_EQ(left_, Tokens::whole(7));
  EXPECT_EQ(not_asked_, 2U);
}

TEST_F(PostedStoreTest, WaitsForAnAnswerThatComesLater) {
  remote_.is_late = true;
  std::thread teller([this] {
    for (bool is_told = false; !is_told;) {
      std::promise<bool> done;
      loop_->post([&] {
        const bool is_asked = remote_.pending != nullptr;
        if (is_asked) remote_.tell();
        done.set_value(is_asked);
      });
      is_told = done.get_future().get();
    }
  });
  EXPECT_EQ(ask(), Progress::kAnswered);
  EXPECT_EQ(left_, Tokens::whole(7));
  teller.join();
}

TEST_F(PostedStoreTest, AnAnswerThatComesTooLateFindsWhatItNeeds) {
  remote_.is_late = true;
  EXPECT_EQ(ask(), Progress::kUnavailable);
  EXPECT_EQ(left_, Tokens());
  end();
  ASSERT_NE(remote_.pending, nullptr);
  remote_.tell();
  EXPECT_EQ(remote_.keys, "a key that is too long to lie within a stringb");
}

TEST_F(PostedStoreTest, IsUnavailableWhenTheLoopHasEnded) {
  end();
  EXPECT_EQ(ask(), Progress::kUnavailable);
  is_gone_ = true;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(), Progress::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(900)) << "nobody is waited for";
  PostedStore nobodys;
  stores::Ask ask;
  EXPECT_EQ(nobodys.ask(ask), Progress::kUnavailable);
}

}  // namespace
}  // namespace sluice::redis_store
