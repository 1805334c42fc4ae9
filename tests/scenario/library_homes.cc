#include "scenario/library_homes.h"

namespace sluice::scenario {

Request::Request(std::span<const Take> takes) {
  for (const Take& take : takes) keys_.push_back(take.limit_name + '\0' + take.key);
  for (size_t i = 0; i < takes.size(); ++i) takes_.push_back({keys_[i], &takes[i].limit, takes[i].cost});
}

MemoryHome::MemoryHome() : store_(*memory::MemoryStore::create({})) {}

Answer MemoryHome::take(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = store_->take_all(request.takes(), now);
  return {decision, store_->time_to_full(request.takes()[decision.bucket], now)};
}

Answer MemoryHome::peek(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = store_->peek(request.takes(), now);
  return {decision, store_->time_to_full(request.takes()[decision.bucket], now)};
}

void MemoryHome::refund(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  for (const sluice::Take& take : request.takes()) store_->refund(take, now);
}

LimiterHome::LimiterHome() : limiter_(*Limiter::create(Limit(), {.clock = &clock_})) {}

Answer LimiterHome::take(std::span<const Take> takes, Instant now) {
  clock_.set(now);
  const Request request(takes);
  const Decision decision = *limiter_.take_all(request.takes());
  return {decision, limiter_.time_to_full(request.takes()[decision.bucket])};
}

Answer LimiterHome::peek(std::span<const Take> takes, Instant now) {
  clock_.set(now);
  const Request request(takes);
  const Decision decision = *limiter_.peek_all(request.takes());
  return {decision, limiter_.time_to_full(request.takes()[decision.bucket])};
}

void LimiterHome::refund(std::span<const Take> takes, Instant now) {
  clock_.set(now);
  const Request request(takes);
  limiter_.refund_all(request.takes());
}

}  // namespace sluice::scenario
