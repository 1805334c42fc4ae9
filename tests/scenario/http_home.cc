#include "scenario/http_home.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "doors/decimal_text.h"

namespace sluice::scenario {
namespace {

using nlohmann::json;
using stores::Action;

std::string request_text(std::span<const Take> takes, Action action) {
  json headers = json::object();
  json attributes = json::object();
  for (const Take& take : takes) {
    headers["cost-" + take.limit_name] = std::string(doors::DecimalText(take.cost).view());
    attributes[take.limit_name] = take.key;
  }
  const std::string body = json{{"request", {{"headers", headers}, {"attributes", attributes}}}}.dump();
  const std::string path = action == Action::kTake ? "check" : action == Action::kPeek ? "peek" : "refund";
  return "POST /v1/" + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

Verdict verdict_of(const json& body) {
  if (body.at("allowed") == true) return Verdict::kAllowed;
  return body.at("reason") == "cost_exceeds_capacity" ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
}

Duration wait_of(const json& milliseconds) {
  return milliseconds.is_null() ? kForever : Duration::millis(milliseconds.get<int64_t>());
}

}  // namespace

HttpHome::HttpHome() : desk_(limiter_, time_), door_(desk_, {}), session_(door_.make(peer_)) {}

Answer HttpHome::ask(std::span<const Take> takes, Instant now, Action action) {
  order_as(takes);
  time_.now = now;
  output_.clear();
  const std::string request = request_text(takes, action);
  if (session_->on_bytes(request, output_).bytes != request.size()) std::abort();
  const json body = json::parse(doors::http::body_of(output_.bytes()));
  if (action == Action::kRefund) {
    if (body != json{{"refunded", true}}) std::abort();
    return {};
  }
  if (body.at("buckets").size() != takes.size()) std::abort();
  uint32_t named = 0;
  while (takes[named].limit_name != body.at("rule")) ++named;
  const Tokens remaining = Tokens::micros(std::llround(body.at("remaining").get<double>() * 1e6));
  const Duration delay = Duration::millis(body.value("delay_ms", int64_t{0}));
  return {{verdict_of(body), remaining, wait_of(body.at("retry_after_ms")), delay, named},
          wait_of(body.at("reset_after_ms"))};
}

}  // namespace sluice::scenario
