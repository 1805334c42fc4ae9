#include "redis/under_way.h"

namespace sluice::redis {

UnderWay::UnderWay(Alarms& alarms, std::function<void(Request&)> on_time_up)
    : on_time_up_(std::move(on_time_up)), alarm_(alarms, [this] { ring(); }) {}

void UnderWay::add(Request& request, int64_t deadline_ns) {
  request.deadline_ns_ = deadline_ns;
  request.is_under_way_ = true;
  // Nearly all have the same time, so that the end is the place.
  Request* before = last_;
  while (before != nullptr && before->deadline_ns_ > deadline_ns) before = before->previous_;
  request.previous_ = before;
  request.next_ = before != nullptr ? before->next_ : first_;
  (before != nullptr ? before->next_ : first_) = &request;
  (request.next_ != nullptr ? request.next_->previous_ : last_) = &request;
  alarm_.set_if_earlier(deadline_ns);
}

void UnderWay::remove(Request& request) {
  (request.previous_ != nullptr ? request.previous_->next_ : first_) = request.next_;
  (request.next_ != nullptr ? request.next_->previous_ : last_) = request.previous_;
  request.next_ = request.previous_ = nullptr;
  request.is_under_way_ = false;
}

void UnderWay::ring() {
  const int64_t now_ns = monotonic_ns();
  while (first_ != nullptr && first_->deadline_ns_ <= now_ns) {
    Request& request = *first_;
    remove(request);
    on_time_up_(request);
  }
  if (first_ != nullptr) alarm_.set_if_earlier(first_->deadline_ns_);
}

}  // namespace sluice::redis
