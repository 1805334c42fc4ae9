// Few deadlines that are urgent, to the millisecond: one timer of the kernel for all of a client. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "net/descriptor.h"
#include "net/loop.h"

namespace sluice::redis {

inline constexpr int64_t kNsPerMs = 1'000'000;

// Nanoseconds of the clock that alarms go by.
int64_t monotonic_ns();

class Alarms;

// Something to do at a time. Takes itself out when it goes.
class Alarm {
 public:
  Alarm(Alarms& alarms, std::function<void()> action) : alarms_(alarms), action_(std::move(action)) {}
  ~Alarm() { cancel(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Again for one that is set already.
  void set(int64_t at_ns);
  void set_if_earlier(int64_t at_ns) {
    if (at_ns < at_ns_) set(at_ns);
  }
  void cancel();
  bool is_set() const { return at_ns_ != kNever; }

 private:
  friend class Alarms;
  static constexpr int64_t kNever = INT64_MAX;

  Alarms& alarms_;
  const std::function<void()> action_;
  int64_t at_ns_ = kNever;
};

class Alarms final : public net::Watcher {
 public:
  explicit Alarms(net::Loop& loop) : loop_(loop) {}

  // Empty, or why the kernel refuses.
  std::string start();
  // No alarm rings any more. To be retired then, for the loop may know of it until its turn ends.
  void close();

 private:
  friend class Alarm;

  void on_ready(uint32_t events) override;
  void add(Alarm& alarm);
  void remove(Alarm& alarm);
  Alarm* earliest() const;
  void arm(int64_t at_ns);

  net::Loop& loop_;
  net::Descriptor timer_;
  std::vector<Alarm*> set_;
  int64_t armed_ns_ = INT64_MAX;
};

}  // namespace sluice::redis
