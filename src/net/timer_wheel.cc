#include "net/timer_wheel.h"

#include <algorithm>

namespace sluice::net {

TimerWheel::TimerWheel(int64_t now_ms) : tick_(now_ms / kTickMs) {
  for (Head& head : slots_) head.next_ = head.previous_ = &head;
}

TimerWheel::~TimerWheel() {
  for (Head& head : slots_) {
    while (head.next_ != &head) head.next_->unlink();
  }
}

// One that is further away than the wheel is long comes by once a turn, and is put back.
void TimerWheel::set(Timer& timer, int64_t at_ms) {
  timer.unlink();
  timer.at_ms_ = at_ms;
  const int64_t due = (at_ms + kTickMs - 1) / kTickMs;
  const int64_t last = tick_ + static_cast<int64_t>(kSlots) - 1;
  const int64_t tick = std::clamp(due, tick_, last);
  link(slot_of(tick), timer);
  empty_before_ = std::min(empty_before_, tick);
}

void TimerWheel::link(Head& slot, Timer& timer) {
  timer.next_ = &slot;
  timer.previous_ = slot.previous_;
  slot.previous_->next_ = &timer;
  slot.previous_ = &timer;
}

void TimerWheel::advance(int64_t now_ms) {
  const int64_t now_tick = now_ms / kTickMs;
  // After a long sleep one turn is enough: it passes every slot.
  tick_ = std::max(tick_, now_tick - static_cast<int64_t>(kSlots) + 1);
  for (; tick_ <= now_tick;) {
    Head& slot = slot_of(tick_);
    ++tick_;  // Whoever sets itself again now goes into a later slot.
    call_due(slot, now_ms);
  }
}

// Takes the list out first: those that are called may set, cancel and destroy timers, themselves too.
void TimerWheel::call_due(Head& slot, int64_t now_ms) {
  if (slot.next_ == &slot) return;
  Head due;
  due.next_ = slot.next_;
  due.previous_ = slot.previous_;
  due.next_->previous_ = due.previous_->next_ = &due;
  slot.next_ = slot.previous_ = &slot;
  while (due.next_ != &due) {
    Timer& timer = *due.next_;
    timer.unlink();
    if (timer.at_ms_ > now_ms) {
      set(timer, timer.at_ms_);
    } else {
      timer.on_time(now_ms);
    }
  }
  due.next_ = due.previous_ = nullptr;
}

int64_t TimerWheel::idle_ms(int64_t now_ms) {
  const int64_t end = tick_ + static_cast<int64_t>(kSlots);
  for (empty_before_ = std::max(empty_before_, tick_); empty_before_ < end; ++empty_before_) {
    const Head& slot = slot_of(empty_before_);
    if (slot.next_ != &slot) return std::max<int64_t>(0, empty_before_ * kTickMs - now_ms);
  }
  return -1;
}

}  // namespace sluice::net
