#include "doors/decision_fields.h"
#include "doors/resp/handlers.h"

namespace sluice::doors::resp {
namespace {

using stores::Action;

// False when the arguments are wrong; that was answered.
bool decide(Call& call, Action action) {
  CheckReader& reader = call.service.check_reader;
  const auto needs = action == Action::kReset ? CheckReader::Needs::kKey : CheckReader::Needs::kLimit;
  if (!reader.read(call.arguments, needs)) {
    call.reply.error(reader.fault());
    return false;
  }
  Desk& desk = call.service.desk;
  if (reader.is_named()) {
    desk.worker.decide(desk.check, reader.bucket(), call.time.now(), action);
  } else {
    desk.worker.decide(desk.check, reader.request(), call.time.now(), action);
  }
  return true;
}

void answer_decision(Call& call, Action action) {
  if (!decide(call, action)) return;
  const limiter::Answer& answer = call.service.desk.check.answer();
  if (action == Action::kTake) {
    call.service.counts.add(answer.allowed);
    call.service.desk.note(answer);
  }
  write_decision_fields(call.reply, answer, {});
}

}  // namespace

void answer_check(Call& call) { answer_decision(call, Action::kTake); }

void answer_peek(Call& call) { answer_decision(call, Action::kPeek); }

void answer_refund(Call& call) {
  if (decide(call, Action::kRefund)) call.reply.ok();
}

void answer_reset_bucket(Call& call) {
  if (decide(call, Action::kReset)) call.reply.ok();
}

}  // namespace sluice::doors::resp
