// Many deadlines, none of them urgent: a wheel of short lists. Setting and taking back cost a few stores. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::net {

// Something that wants to be called at about a time. Takes itself out when it goes.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool is_set() const { return next_ != nullptr; }

 protected:
  ~Timer() { unlink(); }

 private:
  friend class TimerWheel;

  // Not before its time, and at most some ticks late. May set itself again.
  virtual void on_time(int64_t now_ms) = 0;

  void unlink() {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

  Timer* next_ = nullptr;
  Timer* previous_ = nullptr;
  int64_t at_ms_ = 0;
};

class TimerWheel {
 public:
  static constexpr int64_t kTickMs = 64;
  static constexpr size_t kSlots = 512;

  explicit TimerWheel(int64_t now_ms);
  ~TimerWheel();
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  // Again for one that is set already.
  void set(Timer& timer, int64_t at_ms);
  void cancel(Timer& timer) { timer.unlink(); }

  // Calls all that are due.
  void advance(int64_t now_ms);

  // How long nothing will be due, at most; -1 when no timer is set.
  int64_t idle_ms(int64_t now_ms);

 private:
  // The end of a list that has no beginning.
  class Head final : public Timer {
    friend class TimerWheel;
    void on_time(int64_t) override {}
  };

  Head& slot_of(int64_t tick) { return slots_[static_cast<size_t>(tick) % kSlots]; }
  void call_due(Head& slot, int64_t now_ms);
  static void link(Head& slot, Timer& timer);

  std::array<Head, kSlots> slots_;
  int64_t tick_;              // all before it were advanced over
  int64_t empty_before_ = 0;  // from tick_ up to here nothing is set, so that a loop need not look again every turn
};

}  // namespace sluice::net
