#include "stores/redis/patient_store.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::redis_store {
namespace {

using stores::Progress;

// Answers when the test says so, or at once.
class LateStore final : public stores::Store {
 public:
  Progress ask(stores::Ask& ask) override {
    if (at_once != Progress::kPending) return at_once;
    pending.push_back(&ask);
    if (is_told_within) tell(0, Progress::kAnswered);
    return Progress::kPending;
  }
  void tell(size_t which, Progress progress) {
    stores::Ask* const ask = pending[which];
    pending.erase(pending.begin() + static_cast<ptrdiff_t>(which));
    ask->results[0].decision.remaining = Tokens::whole(7);
    ask->listener->on_answer(progress);
  }

  Progress at_once = Progress::kPending;
  bool is_told_within = false;
  std::vector<stores::Ask*> pending;
};

// Somebody who asks on a fiber.
class Asker final : public net::Task {
 public:
  explicit Asker(stores::Store& store) : store_(store) {}
  void run(size_t) override {
    stores::Ask ask{stores::Action::kTake, {&take_, 1}, 1, Instant(), {&result, 1}, nullptr};
    progress = store_.ask(ask);
    EXPECT_EQ(ask.listener, nullptr) << "as it was";
  }
  void on_end() override { has_ended = true; }

  stores::BucketResult result;
  Progress progress = Progress::kPending;
  bool has_ended = false;

 private:
  stores::Store& store_;
  const Limit limit_ = *Limit::token_bucket(1, 10);
  const Take take_{"k", &limit_};
};

class PatientStoreTest : public ::testing::Test {
 protected:
  PatientStoreTest() { patient_.attach(fibers_, late_); }

  void turn() {
    loop_->post([this] { loop_->stop(); });
    loop_->run();
  }

  std::unique_ptr<net::Loop> loop_ = std::move(std::get<std::unique_ptr<net::Loop>>(net::Loop::create()));
  net::Fibers fibers_{*loop_};
  LateStore late_;
  PatientStore patient_;
};

TEST_F(PatientStoreTest, WaitsForAnAnswerWhileOthersAskAndAreAnswered) {
  Asker first(patient_), second(patient_), third(patient_);
  for (Asker* const asker : {&first, &second, &third}) fibers_.run(*asker);
  ASSERT_EQ(late_.pending.size(), 3U);
  EXPECT_EQ(fibers_.waiting(), 3U);
  late_.tell(1, Progress::kAnswered);
  late_.tell(0, Progress::kUnavailable);
  turn();
  EXPECT_EQ(second.progress, Progress::kAnswered);
  EXPECT_EQ(second.result.decision.remaining, Tokens::whole(7));
  EXPECT_EQ(first.progress, Progress::kUnavailable);
  EXPECT_FALSE(third.has_ended);
  late_.tell(0, Progress::kAnswered);
  fibers_.end_all();
  EXPECT_EQ(third.progress, Progress::kAnswered) << "it was told before the end";
}

TEST_F(PatientStoreTest, DoesNotWaitForWhatIsKnownAtOnce) {
  for (const Progress progress : {Progress::kAnswered, Progress::kUnavailable}) {
    late_.at_once = progress;
    Asker asker(patient_);
    fibers_.run(asker);
    EXPECT_TRUE(asker.has_ended);
    EXPECT_EQ(asker.progress, progress);
  }
  late_.at_once = Progress::kPending;
  late_.is_told_within = true;
  Asker asker(patient_);
  fibers_.run(asker);
  EXPECT_TRUE(asker.has_ended);
  EXPECT_EQ(asker.progress, Progress::kAnswered);
}

TEST_F(PatientStoreTest, IsUnavailableWhereTheLoopEndsMeanwhileAndBeforeItIsAttached) {
  Asker asker(patient_);
  fibers_.run(asker);
  EXPECT_FALSE(asker.has_ended);
  fibers_.end_all();
  EXPECT_TRUE(asker.has_ended);
  EXPECT_EQ(asker.progress, Progress::kUnavailable);
  PatientStore nobodys;
  Asker other(nobodys);
  fibers_.run(other);
  EXPECT_EQ(other.progress, Progress::kUnavailable);
}

}  // namespace
}  // namespace sluice::redis_store
