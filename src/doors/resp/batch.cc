#include "doors/resp/batch.h"

#include <span>

namespace sluice::doors::resp {

void Batch::answer(Desk& desk, Instant now, Reply& reply) {
  const size_t count = count_;
  count_ = 0;
  desk.worker.take_each(std::span(takes_).first(count), now, std::span(results_).first(count));
  char* const start = reply.output().reserve(count * kLongestThrottleReply);
  char* at = start;
  bool has_rejected = false;
  for (size_t i = 0; i < count; ++i) {
    const bool is_allowed = results_[i].decision.allowed();
    has_rejected |= !is_allowed;
    desk.figures.keys.add(takes_[i].key, !is_allowed);
    at = put_throttle(at, dialects_[i], capacities_[i], results_[i]);
  }
  reply.output().commit(static_cast<size_t>(at - start));
  if (has_rejected && desk.rejections.are_recorded()) {
    desk.rejections.note_each(std::span(takes_).first(count), std::span(results_).first(count),
                              desk.time.since_epoch());
  }
}

}  // namespace sluice::doors::resp
