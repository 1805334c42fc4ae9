#include "doors/resp/command_table.h"
#include "doors/resp/handlers.h"

namespace sluice::doors::resp {
namespace {

const Limit* find_limit(Call& call, const LimitNumbers& numbers) {
  Service& service = call.service;
  if (const Limit* const known = service.limits.find(numbers)) return known;
  const auto made = limit_of(numbers);
  // What waits may use the limit that a new one replaces.
  answer_batch(call);
  if (made) return service.limits.add(numbers, *made);
  call.reply.error(throttle_fault(made.error()));
  return nullptr;
}

// A quantity of 0 only looks, and always passes.
void answer_look(Call& call, const Throttle& throttle, Dialect dialect, const Limit* limit) {
  answer_batch(call);
  Desk& desk = call.service.desk;
  desk.worker.decide(desk.check, limiter::NamedBucket{throttle.key, limit, Tokens::micros(1)}, call.time.now(),
                     stores::Action::kPeek);
  stores::BucketResult result;
  // While the store is away nothing is known of what remains, as for any other quantity.
  if (const limiter::BucketAnswer* const bucket = desk.check.answer().tightest) {
    result.decision.remaining = bucket->remaining;
    result.reset_after = bucket->reset_after;
  }
  net::Output& output = call.reply.output();
  char* const start = output.reserve(kLongestThrottleReply);
  output.commit(static_cast<size_t>(put_throttle(start, dialect, throttle.numbers.capacity, result) - start));
}

void answer_dialect(Call& call, Dialect dialect) {
  if (call.count() > 6) {
    answer_batch(call);
    return reply_wrong_arity(call.reply, dialect == Dialect::kCell ? "cl.throttle" : "throttle");
  }
  Throttle throttle;
  if (!read_throttle(call.arguments, dialect, throttle)) {
    answer_batch(call);
    return call.reply.error(throttle_fault(call.arguments, dialect));
  }
  const Limit* const limit = find_limit(call, throttle.numbers);
  if (limit == nullptr) return;
  if (throttle.quantity == 0) return answer_look(call, throttle, dialect, limit);
  Batch& batch = call.service.batch;
  batch.add(throttle, dialect, limit);
  if (batch.is_full()) answer_batch(call);
}

}  // namespace

void answer_cl_throttle(Call& call) { answer_dialect(call, Dialect::kCell); }

void answer_throttle(Call& call) { answer_dialect(call, Dialect::kCrab); }

void answer_batch(Call& call) {
  Service& service = call.service;
  if (service.batch.is_empty()) return;
  service.batch.answer(service.desk, call.time.instant(), call.reply);
}

}  // namespace sluice::doors::resp
