#include "scenario/resp_home.h"

#include <cmath>
#include <cstdlib>

namespace sluice::scenario {
namespace {

using nlohmann::json;

const char* command_of(stores::Action action) {
  switch (action) {
    case stores::Action::kTake: return "SLUICE.CHECK";
    case stores::Action::kPeek: return "SLUICE.PEEK";
    case stores::Action::kRefund: return "SLUICE.REFUND";
    case stores::Action::kReset: break;
  }
  std::abort();
}

Verdict verdict_of(const json& reason) {
  if (reason.is_null()) return Verdict::kAllowed;
  return reason == "cost_exceeds_capacity" ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
}

Tokens tokens_of(const json& amount) { return Tokens::micros(std::llround(amount.get<double>() * 1e6)); }

Duration wait_of(const json& millis) { return millis.is_null() ? kForever : Duration::millis(millis.get<int64_t>()); }

}  // namespace

RespHome::RespHome() : client_(limiter_) { client_.ask({"HELLO", "3"}); }

Answer RespHome::ask(std::span<const Take> takes, Instant now, stores::Action action) {
  order_as(takes);
  client_.time().now = now;
  std::vector<std::string> arguments{command_of(action)};
  for (const Take& take : takes) {
    arguments.insert(arguments.end(), {"ATTR", take.limit_name, take.key});
    arguments.insert(arguments.end(), {"HEADER", "cost-" + take.limit_name, text_of(take.cost)});
  }
  const json reply = client_.ask(arguments);
  if (action == stores::Action::kRefund) return {};
  if (reply.at("buckets").size() != takes.size()) std::abort();
  uint32_t named = 0;
  while (takes[named].limit_name != reply.at("rule")) ++named;
  return {{verdict_of(reply.at("reason")), tokens_of(reply.at("remaining")), wait_of(reply.at("retry_after_ms")),
           Duration::millis(reply.value("delay_ms", int64_t{0})), named},
          wait_of(reply.at("reset_after_ms"))};
}

}  // namespace sluice::scenario
