// Those of the check routes whose cost is settled afterwards.
#include <optional>

#include "doors/decision_json.h"
#include "doors/http/check_routes.h"
#include "doors/problem.h"
#include "doors/settled_cost.h"
#include "doors/status.h"

namespace sluice::doors::http {
namespace {

using documents::Kind;
using documents::TapeValue;

constexpr int kBadRequest = 400;

// {"handle", "cost"}
struct SettleBody {
  std::optional<std::string_view> handle;
  std::optional<double> cost;
};

// What is wrong; nothing if nothing is.
std::optional<std::string> read_settle(TapeValue value, SettleBody& body) {
  if (value.kind() != Kind::kObject) return std::string("the body must be an object, but is ") + name_of(value.kind());
  std::optional<std::string> fault;
  value.each([&](TapeValue member) {
    const documents::TapeEntry& entry = member.entry();
    if (member.name() == "handle" && entry.kind == Kind::kString && !body.handle) {
      body.handle = entry.text;
    } else if (member.name() == "cost" && entry.kind == Kind::kNumber && !body.cost) {
      body.cost = entry.number;
    } else {
      fault = "a body has a handle, which is a string, and a cost, which is a number, once each; '" +
              std::string(member.name()) + "' is none of these";
    }
    return !fault;
  });
  if (fault) return fault;
  if (!body.handle) return "handle is missing: /v1/reserve answers with it";
  if (!body.cost) return "cost is missing: it is what the work really cost";
  return std::nullopt;
}

}  // namespace

void CheckRoutes::reserve(const Request& request, Response& response) {
  if (!read_json(request, response)) return;
  if (const auto fault = body_.read(tape_.root(), CheckBody::Use::kReserve)) {
    return response.send_fault(kBadRequest, *fault);
  }
  if (!desk_.may_reserve()) {
    return response.send_fault(503, "There are too many reservations; settle some, or let their time pass.");
  }
  const limiter::Answer& answer = decide(stores::Action::kTake);
  std::string& text = response.text();
  JsonWriter json(text);
  if (answer.allowed) {
    json.begin_object();
    json.name("handle");
    json.string(desk_.reserve(body_.time()));
    json.name("expires_in_ms");
    json.integer(body_.time().ceil_millis());
    write_decision_members(json, answer);
    json.end_object();
  } else {
    write_problem_with_decision(json, answer);
  }
  response.send(
      {http_status(answer), answer.allowed ? kJsonMediaType : kProblemMediaType, desk_.fields_of(answer), text});
  desk_.note_take();
}

void CheckRoutes::settle(const Request& request, Response& response) {
  if (!read_json(request, response)) return;
  SettleBody body;
  if (const auto fault = read_settle(tape_.root(), body)) return response.send_fault(kBadRequest, *fault);
  const std::optional<Tokens> cost = settled_cost(*body.cost);
  if (!cost) return response.send_fault(kBadRequest, "cost must be a number from 0 to 1e12");
  const auto lacked = desk_.settle(*body.handle, *cost);
  if (!lacked) {
    return response.send_fault(
        404, "There is no such reservation: it was settled already, its time has passed, or there never was one.");
  }
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  json.name("settled");
  json.boolean(true);
  json.name("lacked");
  json.tokens(*lacked);
  json.end_object();
  response.send({200, kJsonMediaType, {}, text});
}

}  // namespace sluice::doors::http
