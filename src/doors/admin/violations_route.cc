#include "doors/admin/violations_route.h"

#include "doors/violation_json.h"
#include "doors/violation_query.h"

namespace sluice::doors::admin {

void send_violations(const ReadViolations& read, TimeSource& time, const http::Request& request,
                     http::Response& response) {
  if (!read) return response.send_fault(409, "No violations are kept here: set violations.in to a database.");
  const auto parsed = read_violation_query(parse_query(request.target.query), time.since_epoch().ns / 1000);
  if (const auto* fault = std::get_if<std::string>(&parsed)) return response.send_fault(400, *fault);
  const auto& query = std::get<ViolationQuery>(parsed);
  const auto page = read(query.filter, query.after, query.limit);
  if (!page) {
    const http::Field later{"Retry-After", "1"};
    return response.send_fault(503, page.fault().in_one_line(), {&later, 1});
  }
  std::string& text = response.text();
  write_violations(*page, query.limit, text);
  response.send({200, http::kJsonMediaType, {}, text});
}

}  // namespace sluice::doors::admin
