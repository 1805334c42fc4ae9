// All requests that have yet to be told, in the order of their deadlines. One thread.
#pragma once

#include <functional>

#include "redis/alarms.h"
#include "redis/request.h"

namespace sluice::redis {

class UnderWay {
 public:
  // Called with each request whose time is up, after it was removed.
  UnderWay(Alarms& alarms, std::function<void(Request&)> on_time_up);

  void add(Request& request, int64_t deadline_ns);
  void remove(Request& request);
  bool empty() const { return first_ == nullptr; }
  Request& first() const { return *first_; }

 private:
  void ring();

  const std::function<void(Request&)> on_time_up_;
  Alarm alarm_;
  Request* first_ = nullptr;
  Request* last_ = nullptr;
};

}  // namespace sluice::redis
