#include "redis/alarms.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>

namespace sluice::redis {
namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

}  // namespace

int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kNsPerS + time.tv_nsec;
}

void Alarm::set(int64_t at_ns) {
  if (!is_set()) alarms_.add(*this);
  at_ns_ = at_ns;
  alarms_.arm(at_ns);
}

void Alarm::cancel() {
  if (!is_set()) return;
  at_ns_ = kNever;
  alarms_.remove(*this);
}

std::string Alarms::start() {
  timer_ = net::Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (timer_ && loop_.watch(timer_.get(), EPOLLIN, *this)) return {};
  return std::string("no timer for Redis: ") + strerror(errno);
}

void Alarms::close() {
  if (!timer_) return;
  loop_.forget(timer_.get());
  timer_ = net::Descriptor();
}

void Alarms::add(Alarm& alarm) { set_.push_back(&alarm); }

void Alarms::remove(Alarm& alarm) {
  const auto found = std::find(set_.begin(), set_.end(), &alarm);
  *found = set_.back();
  set_.pop_back();
}

Alarm* Alarms::earliest() const {
  const auto found =
      std::min_element(set_.begin(), set_.end(), [](Alarm* a, Alarm* b) { return a->at_ns_ < b->at_ns_; });
  return found == set_.end() ? nullptr : *found;
}

// One that rings too early costs little: deadlines that were met need not be taken back from the kernel.
void Alarms::arm(int64_t at_ns) {
  if (at_ns >= armed_ns_ || !timer_) return;
  armed_ns_ = at_ns;
  itimerspec when{};
  at_ns = std::max<int64_t>(at_ns, 1);  // 0 would disarm it
  when.it_value.tv_sec = at_ns / kNsPerS;
  when.it_value.tv_nsec = at_ns % kNsPerS;
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Alarms::on_ready(uint32_t) {
  uint64_t count = 0;
  if (read(timer_.get(), &count, sizeof(count)) < 0) return;
  armed_ns_ = INT64_MAX;
  const int64_t now_ns = monotonic_ns();
  // What rings may set, cancel and destroy alarms, also close this.
  Alarm* alarm = earliest();
  for (; alarm != nullptr && alarm->at_ns_ <= now_ns; alarm = earliest()) {
    alarm->cancel();
    alarm->action_();
  }
  if (alarm != nullptr) arm(alarm->at_ns_);
}

}  // namespace sluice::redis
