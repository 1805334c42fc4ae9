// For tests: one server of a fleet, with its loops and nothing else, and askers on its fibers.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "net/server.h"
#include "redis/place.h"
#include "redis_servers/process.h"
#include "stores/fleet/fleet.h"

namespace sluice::fleet {

using redis_testing::wait_until;

// Asks for one bucket on a fiber.
class FleetAsk final : public net::Task {
 public:
  FleetAsk(stores::Store& store, stores::Action action, Take take, stores::LeaseTerms lease = {})
      : store_(store), key_(take.key), take_(take), lease_(lease) {
    take_.key = key_;
    ask_ = {action, {&take_, 1}, 1, Instant(), {&result, 1}, nullptr, {&lease_, 1}};
  }
  void run(size_t) override {
    for (int i = 0; i < times; ++i) progress = store_.ask(ask_);
  }
  void on_end() override { done_.set_value(); }
  void await() { done_.get_future().wait(); }

  bool is_allowed() const { return progress == stores::Progress::kAnswered && result.decision.allowed(); }
  int64_t whole_left() const { return result.decision.remaining.micros() / 1'000'000; }

  int times = 1;
  stores::Progress progress = stores::Progress::kPending;
  stores::BucketResult result;

 private:
  stores::Store& store_;
  const std::string key_;
  Take take_;
  stores::LeaseTerms lease_;
  stores::Ask ask_;
  std::promise<void> done_;
};

class FleetServer {
 public:
  explicit FleetServer(const std::string& url, size_t loops = 1, bool deny_cache = true)
      : server_(loops), fibers_(loops) {
    Options options;
    options.deny_cache = deny_cache;
    options.place = std::get<redis::Place>(redis::read_place(url));
    options.timeout_ms = 1000;
    fleet_ = std::move(std::get<std::unique_ptr<Fleet>>(Fleet::create(options, loops, system_clock())));
    server_.house([this](size_t loop, net::Loop& its_loop, net::Fibers& fibers) {
      fibers_[loop] = &fibers;
      return fleet_->make(loop, its_loop, fibers);
    });
    EXPECT_EQ(server_.start(), "");
  }
  ~FleetServer() { stop(); }
  // The loops end, with all that live on them.
  void stop() { server_.stop(); }

  bool comes_up() {
    return wait_until([&] { return fleet_->figures().connections == server_.loops(); });
  }

  // On a fiber of that loop, soon.
  void run(net::Task& task, size_t loop = 0) {
    server_.post(loop, [&task, fibers = fibers_[loop]] { fibers->run(task); });
  }
  // Lives as long as this does.
  FleetAsk& ask(stores::Action action, const Take& take, stores::LeaseTerms lease = {}, size_t loop = 0) {
    FleetAsk& asked = past_.emplace_back(fleet_->of_loop(loop), action, take, lease);
    run(asked, loop);
    asked.await();
    return asked;
  }
  FleetAsk& take(const Take& take) { return ask(stores::Action::kTake, take); }

  Fleet& fleet() { return *fleet_; }

 private:
  std::unique_ptr<Fleet> fleet_;
  net::Server server_;
  std::vector<net::Fibers*> fibers_;
  std::deque<FleetAsk> past_;
};

}  // namespace sluice::fleet
