#include "doors/admin/explain_route.h"

#include "doors/explain_json.h"
#include "doors/http/json_body.h"

namespace sluice::doors::admin {

void ExplainRoute::explain(const http::Request& request, http::Response& response) {
  if (const auto fault = http::read_json_body(request.body, tape_)) return response.send_fault(400, *fault);
  if (const auto fault = describe_request(tape_.root(), memory_)) return response.send_fault(400, fault->message);
  const rules::Now now = time_.now();
  worker_.decide(check_, memory_.request, now, stores::Action::kPeek);
  const rules::Report report = rules::explain(worker_.rules(), memory_.request, now, worker_.claims());
  std::string& text = response.text();
  JsonWriter json(text);
  write_explanation(json, check_.answer(), report);
  response.send({200, http::kJsonMediaType, {}, text});
}

}  // namespace sluice::doors::admin
