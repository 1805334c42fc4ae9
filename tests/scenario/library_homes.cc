#include "scenario/library_homes.h"

namespace sluice::scenario {

Request::Request(std::span<const Take> takes) {
  for (const Take& take : takes) keys_.push_back(take.limit_name + '\0' + take.key);
  for (size_t i = 0; i < takes.size(); ++i) takes_.push_back({keys_[i], &takes[i].limit, takes[i].cost});
}

memory::MemoryStore& MemoryHome::store(Instant now) {
  if (store_ == nullptr) store_ = *memory::MemoryStore::create({.origin = now});
  return *store_;
}

Answer MemoryHome::take(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = store(now).take_all(request.takes(), now);
  return {decision, store(now).time_to_full(request.takes()[decision.bucket], now)};
}

Answer MemoryHome::peek(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = store(now).peek(request.takes(), now);
  return {decision, store(now).time_to_full(request.takes()[decision.bucket], now)};
}

void MemoryHome::refund(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  for (const sluice::Take& take : request.takes()) store(now).refund(take, now);
}

Limiter& LimiterHome::limiter(Instant now) {
  clock_.set(now);
  if (!limiter_) limiter_.emplace(*Limiter::create(Limit(), {.clock = &clock_}));
  return *limiter_;
}

Answer LimiterHome::take(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = *limiter(now).take_all(request.takes());
  return {decision, limiter(now).time_to_full(request.takes()[decision.bucket])};
}

Answer LimiterHome::peek(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  const Decision decision = *limiter(now).peek_all(request.takes());
  return {decision, limiter(now).time_to_full(request.takes()[decision.bucket])};
}

void LimiterHome::refund(std::span<const Take> takes, Instant now) {
  const Request request(takes);
  limiter(now).refund_all(request.takes());
}

}  // namespace sluice::scenario
