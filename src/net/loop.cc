#include "net/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

namespace sluice::net {
namespace {

constexpr int kMostEvents = 256;
// So that a clock set wrong or a forgotten wake-up delays nothing for long.
constexpr int64_t kLongestWaitMs = 10'000;
constexpr long kRestNs = 15'000;
// After one that took much longer: others want the core.
constexpr int64_t kNoRestNs = 10'000'000;
// More than an event takes that is one small request.
constexpr int64_t kLittleNs = 10'000;

int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// Those of the last wait.
struct Loop::Events {
  epoll_event at[kMostEvents];
  int count = 0;
  int64_t begin_ns = 0;  // of this turn
  int64_t no_rest_before_ns = 0;
  const void* latest = nullptr;  // who was the last of those of the turn before
};

int64_t monotonic_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

std::variant<std::unique_ptr<Loop>, std::string> Loop::create() {
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll || !wake) return std::string("no event loop: ") + strerror(errno);
  std::unique_ptr<Loop> loop(new Loop(std::move(epoll), std::move(wake)));
  if (!loop->watch(loop->wake_.get(), EPOLLIN, loop->waker_)) return std::string("no event loop: ") + strerror(errno);
  return loop;
}

Loop::Loop(Descriptor epoll, Descriptor wake)
    : epoll_(std::move(epoll)),
      wake_(std::move(wake)),
      now_ms_(monotonic_ms()),
      timers_(now_ms_),
      scratch_(new char[kScratchBytes]),
      events_(std::make_unique<Events>()) {}

Loop::~Loop() = default;

void Loop::run() {
  // Else the kernel makes some 50 us more of a rest.
  prctl(PR_SET_TIMERSLACK, 1'000UL, 0UL, 0UL, 0UL);
  while (!is_stopped_.load(std::memory_order_acquire)) {
    wait();
    now_ms_ = monotonic_ms();
    events_->begin_ns = monotonic_ns();
    dispatch();
    timers_.advance(now_ms_);
    run_deferred();
    retired_.clear();
  }
}

// While several clients are at work, each that finds the loop asleep pays for waking it, which costs more than its
// request. So the loop, where it has nothing left to do, rests for less time than a round trip takes: what comes
// meanwhile wakes nobody, and is taken together.
void Loop::wait() {
  const int64_t end_ns = monotonic_ns();
  if (is_rest_worthwhile(end_ns)) {
    if (collect(0) > 0) return;
    constexpr timespec kRest{0, kRestNs};
    nanosleep(&kRest, nullptr);
    const int64_t now_ns = monotonic_ns();
    if (now_ns - end_ns > 3 * kRestNs) events_->no_rest_before_ns = now_ns + kNoRestNs;
  }
  const int64_t idle = timers_.idle_ms(now_ms_);
  collect(idle < 0 || idle > kLongestWaitMs ? kLongestWaitMs : idle);
}

// One client that waits for its one answer is not to be kept, and those who bring much at once wake the loop seldom.
bool Loop::is_rest_worthwhile(int64_t end_ns) {
  const int count = events_->count;
  if (count == 0) return false;
  const bool is_alone = count == 1 && events_->at[0].data.ptr == events_->latest;
  events_->latest = events_->at[count - 1].data.ptr;
  return !is_alone && end_ns - events_->begin_ns < count * kLittleNs && end_ns >= events_->no_rest_before_ns;
}

int Loop::collect(int64_t wait_ms) {
  events_->count = std::max(0, epoll_wait(epoll_.get(), events_->at, kMostEvents, static_cast<int>(wait_ms)));
  return events_->count;
}

void Loop::dispatch() {
  for (int i = 0; i < events_->count; ++i) {
    const epoll_event& event = events_->at[i];
    static_cast<Watcher*>(event.data.ptr)->on_ready(event.events);
  }
}

void Loop::run_deferred() {
  // They may add to the list.
  for (size_t i = 0; i < deferred_.size(); ++i) deferred_[i]->on_turn_end();
  deferred_.clear();
}

void Loop::stop() {
  is_stopped_.store(true, std::memory_order_release);
  eventfd_write(wake_.get(), 1);
}

void Loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  eventfd_write(wake_.get(), 1);
}

void Loop::run_posted() {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

bool Loop::watch(int fd, uint32_t events, Watcher& watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Loop::change(int fd, uint32_t events, Watcher& watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Loop::forget(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

void Loop::retire(std::unique_ptr<Watcher> watcher) {
  for (int i = 0; i < events_->count; ++i) {
    if (events_->at[i].data.ptr == watcher.get()) events_->at[i].data.ptr = &nobody_;
  }
  retired_.push_back(std::move(watcher));
}

}  // namespace sluice::net
