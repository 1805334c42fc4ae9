// An event loop: waits for descriptors, timers and messages from other threads. All but post() and stop() is for the
// thread that runs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "net/descriptor.h"
#include "net/timer_wheel.h"

namespace sluice::net {

// Told when its descriptor is ready.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // EPOLLIN, EPOLLOUT, ... Never after it was retired.
  virtual void on_ready(uint32_t events) = 0;
};

// Told when a loop has dealt with all that was at hand, before it waits again.
class Deferred {
 public:
  virtual void on_turn_end() = 0;

 protected:
  ~Deferred() = default;
};

class Loop {
 public:
  // The text is why the kernel refuses.
  static std::variant<std::unique_ptr<Loop>, std::string> create();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run();
  // Returns from run() after what is at hand. Any thread.
  void stop();
  // Runs the task on the loop's thread; those that come after the last run() are dropped. Any thread.
  void post(std::function<void()> task);

  // False when the kernel refuses. The watcher must outlive its descriptor's watch.
  bool watch(int fd, uint32_t events, Watcher& watcher);
  void change(int fd, uint32_t events, Watcher& watcher);
  void forget(int fd);
  // Destroys a watcher once no event at hand can be meant for it. REQUIRES: its descriptor is no longer watched.
  void retire(std::unique_ptr<Watcher> watcher);

  // Calls it once, at the end of this turn; it may defer itself again, for the same end. REQUIRES: it lives until then.
  void defer(Deferred& deferred) { deferred_.push_back(&deferred); }

  TimerWheel& timers() { return timers_; }
  // Milliseconds of a monotonic clock, as of the last wait.
  int64_t now_ms() const { return now_ms_; }

  // Memory for what is being read just now.
  static constexpr size_t kScratchBytes = size_t{64} << 10;
  char* scratch() { return scratch_.get(); }

 private:
  Loop(Descriptor epoll, Descriptor wake);

  // Where other threads' messages come in.
  class Waker final : public Watcher {
   public:
    explicit Waker(Loop& loop) : loop_(loop) {}
    void on_ready(uint32_t) override { loop_.run_posted(); }

   private:
    Loop& loop_;
  };
  // In place of who was retired.
  class Nobody final : public Watcher {
    void on_ready(uint32_t) override {}
  };

  void wait();
  bool is_rest_worthwhile(int64_t end_ns);
  // How many descriptors are ready, after so long at most.
  int collect(int64_t wait_ms);
  void dispatch();
  void run_deferred();
  void run_posted();

  const Descriptor epoll_;
  const Descriptor wake_;
  Waker waker_{*this};
  Nobody nobody_;
  std::atomic<bool> is_stopped_{false};
  std::mutex mutex_;  // for posted_
  std::vector<std::function<void()>> posted_;
  int64_t now_ms_;
  TimerWheel timers_;
  std::vector<Deferred*> deferred_;
  std::vector<std::unique_ptr<Watcher>> retired_;
  std::unique_ptr<char[]> scratch_;
  struct Events;
  std::unique_ptr<Events> events_;
};

// Milliseconds of the clock that loops use.
int64_t monotonic_ms();

}  // namespace sluice::net
