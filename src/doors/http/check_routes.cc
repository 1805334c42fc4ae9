#include "doors/http/check_routes.h"

#include <string>

#include "doors/decision_json.h"
#include "doors/http/json_body.h"
#include "doors/problem.h"
#include "doors/status.h"

namespace sluice::doors::http {
namespace {

using documents::Kind;
using limiter::Answer;
using stores::Action;

constexpr int kBadRequest = 400;

void write_fault_item(JsonWriter& json, std::string_view sentence) {
  json.begin_object();
  json.name("status");
  json.integer(kBadRequest);
  json.name("detail");
  json.string(sentence);
  json.end_object();
}

}  // namespace

bool CheckRoutes::read_json(const Request& request, Response& response) {
  const auto fault = read_json_body(request.body, tape_);
  if (fault) response.send_fault(kBadRequest, *fault);
  return !fault;
}

const Answer& CheckRoutes::decide(Action action) {
  return body_.is_named() ? desk_.decide(body_.named(), action) : desk_.decide(body_.request(), action);
}

void CheckRoutes::check(const Request& request, Action action, Response& response) {
  if (!read_json(request, response)) return;
  if (const auto fault = body_.read(tape_.root())) return response.send_fault(kBadRequest, *fault);
  const Answer& answer = decide(action);
  std::string& text = response.text();
  JsonWriter json(text);
  answer.allowed ? write_decision(json, answer) : write_problem_with_decision(json, answer);
  response.send(
      {http_status(answer), answer.allowed ? kJsonMediaType : kProblemMediaType, desk_.fields_of(answer), text});
  if (action == Action::kTake) desk_.note_take();
}

void CheckRoutes::refund(const Request& request, Response& response) {
  if (!read_json(request, response)) return;
  if (const auto fault = body_.read(tape_.root())) return response.send_fault(kBadRequest, *fault);
  const Answer& answer = decide(Action::kRefund);
  if (answer.degraded)
    return response.send_fault(503, "The store is away: whether tokens were given back is not known.");
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  json.name("refunded");
  json.boolean(answer.allowed);
  if (!answer.allowed) {
    json.name("reason");
    json.string(limiter::reason_text(answer));
  }
  json.end_object();
  response.send({200, kJsonMediaType, {}, text});
}

void CheckRoutes::batch(const Request& request, Response& response) {
  if (!read_json(request, response)) return;
  const documents::TapeValue root = tape_.root();
  if (root.kind() != Kind::kList) {
    return response.send_fault(kBadRequest,
                               std::string("the body must be a list, but is ") + documents::name_of(root.kind()));
  }
  size_t items = 0;
  root.each([&](documents::TapeValue) { return ++items <= most_items_; });
  if (items > most_items_) {
    return response.send_fault(
        kBadRequest, "a batch must have at most " + std::to_string(most_items_) + " items, but this has more");
  }
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_array();
  root.each([&](documents::TapeValue item) {
    write_item(json, item);
    return true;
  });
  json.end_array();
  response.send({200, kJsonMediaType, {}, text});
}

void CheckRoutes::write_item(JsonWriter& json, documents::TapeValue item) {
  if (const auto fault = body_.read(item)) return write_fault_item(json, *fault);
  const Answer& answer = decide(Action::kTake);
  json.begin_object();
  json.name("status");
  json.integer(http_status(answer));
  write_decision_members(json, answer);
  json.end_object();
  desk_.note_take();
}

}  // namespace sluice::doors::http
