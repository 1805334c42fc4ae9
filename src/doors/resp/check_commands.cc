#include <charconv>
#include <optional>

#include "doors/decision_fields.h"
#include "doors/resp/handlers.h"
#include "doors/settled_cost.h"

namespace sluice::doors::resp {
namespace {

using stores::Action;

enum class Use : uint8_t { kDecide, kReserve };

// False when the arguments are wrong; that was answered.
bool decide(Call& call, Action action, Use use = Use::kDecide) {
  CheckReader& reader = call.service.check_reader;
  const auto needs = action == Action::kReset ? CheckReader::Needs::kKey : CheckReader::Needs::kLimit;
  if (!reader.read(call.arguments, needs)) {
    call.reply.error(reader.fault());
    return false;
  }
  if (reader.time() && use == Use::kDecide) {
    call.reply.error("ERR TTL is of SLUICE.RESERVE alone");
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
  if (action == Action::kTake) call.service.desk.note_check();
  write_decision_fields(call.reply, answer, {});
}

// OK only for what was done.
void answer_done(Call& call, Action action) {
  if (!decide(call, action)) return;
  const limiter::Answer& answer = call.service.desk.check.answer();
  if (answer.degraded) return call.reply.error("ERR the store is away: whether it was done is not known");
  if (answer.allowed) return call.reply.ok();
  call.reply.error("ERR nothing was done: " + std::string(limiter::reason_text(answer)));
}

std::optional<Tokens> read_settled_cost(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return settled_cost(number);
}

}  // namespace

void answer_check(Call& call) { answer_decision(call, Action::kTake); }

void answer_peek(Call& call) { answer_decision(call, Action::kPeek); }

void answer_refund(Call& call) { answer_done(call, Action::kRefund); }

void answer_reserve(Call& call) {
  Desk& desk = call.service.desk;
  if (!desk.worker.reservations().has_room(call.time.instant())) {
    return call.reply.error("ERR there are too many reservations; settle some, or let their time pass");
  }
  if (!decide(call, Action::kTake, Use::kReserve)) return;
  const limiter::Answer& answer = desk.check.answer();
  desk.note_check();
  if (!answer.allowed) return write_decision_fields(call.reply, answer, {});
  const Duration time = call.service.check_reader.time().value_or(CheckReader::kUsualTime);
  call.reply.begin_object(2 + decision_fields::member_count(answer));
  call.reply.name("handle");
  call.reply.string(desk.worker.reserve(desk.check, call.time.instant() + time));
  call.reply.name("expires_in_ms");
  call.reply.integer(time.ceil_millis());
  decision_fields::write_members(call.reply, answer, {});
  call.reply.end_object();
}

void answer_settle(Call& call) {
  const auto cost = read_settled_cost(call.argument(2));
  if (!cost) return call.reply.error("ERR cost must be a number from 0 to 1e12");
  const auto lacked = call.service.desk.worker.settle(call.argument(1), *cost, call.time.instant());
  if (!lacked) {
    return call.reply.error(
        "ERR there is no such reservation: it was settled already, its time has passed, or there never was one");
  }
  call.reply.begin_object(2);
  call.reply.name("settled");
  call.reply.boolean(true);
  call.reply.name("lacked");
  call.reply.tokens(*lacked);
  call.reply.end_object();
}

void answer_reset_bucket(Call& call) { answer_done(call, Action::kReset); }

}  // namespace sluice::doors::resp
