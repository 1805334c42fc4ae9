#include "doors/admin/admin_door.h"

#include "doors/admin/metrics.h"
#include "doors/admin/readiness.h"
#include "doors/admin/top_route.h"
#include "doors/json_writer.h"
#include "doors/openapi.h"
#include "telemetry/exposition.h"

namespace sluice::doors::admin {
namespace {

using http::Request;
using http::Response;

constexpr std::string_view kIndex =
    R"({"name":"Sluice","about":"what this server does, and why",)"
    R"("paths":["/metrics","/livez","/readyz","/admin/v1/rules","/admin/v1/explain","/admin/v1/buckets/{key}",)"
    R"("/admin/v1/top","/admin/v1/violations","/admin/v1/build","/openapi.json"]})";

// A proxy or browser between must not show yesterday's figures.
constexpr http::Field kFresh{"Cache-Control", "no-store"};

}  // namespace

AdminDoor::AdminDoor(const Sources& sources, const AdminSettings& settings)
    : sources_(sources),
      gate_(settings.token, settings.is_beyond_loopback),
      worker_(sources.limiter),
      explain_(worker_, sources.time),
      buckets_(sources.limiter, worker_, sources.time),
      rules_(sources, gate_),
      // From other machines, not even which paths there are is told without the token.
      hall_(http::Router(settings.is_beyond_loopback ? settings.token : Access(), routes()), settings.limits) {}

std::unique_ptr<net::Session> AdminDoor::make(const net::Peer& peer) {
  return std::make_unique<http::Session>(hall_, peer);
}

std::vector<http::Route> AdminDoor::routes() {
  const http::Guard guard = [this](const Request& request, Response& response) {
    if (!gate_.lets_see(request, response)) return false;
    return request.method != "DELETE" || gate_.lets_change(request, response);
  };
  const auto answered = [](auto answer) {
    return [answer](const Request& request, const net::Peer&, Response& response) { answer(request, response); };
  };
  const auto index = [](const Request&, Response& response) { response.send({200, http::kJsonMediaType, {}, kIndex}); };
  const auto openapi = [](const Request&, Response& response) {
    response.send({200, http::kJsonMediaType, {}, openapi_document()});
  };
  const auto metrics = [this](const Request&, Response& response) {
    response.send({200, telemetry::Exposition::kContentType, {&kFresh, 1}, write_metrics(sources_)});
  };
  const auto live = [](const Request&, Response& response) {
    response.send({200, "text/plain", {&kFresh, 1}, "ok\n"});
  };
  const auto ready = [this](const Request& request, Response& response) { send_readiness(request, response); };
  const auto explain = [this](const Request& request, Response& response) { explain_.explain(request, response); };
  const auto bucket = [this](const Request& request, Response& response) { answer_bucket(request, response); };
  const auto top = [this](const Request& request, Response& response) { send_top(sources_.census, request, response); };
  const auto violations = [this](const Request& request, Response& response) {
    send_violations(sources_.violations, sources_.time, request, response);
  };
  const auto build = [this](const Request&, Response& response) { send_build(response); };
  std::vector<http::Route> routes = {
      {"/", {"GET"}, answered(index), guard},
      {"/openapi.json", {"GET"}, answered(openapi), guard},
      {"/metrics", {"GET"}, answered(metrics), guard},
      {.path = "/livez", .methods = {"GET"}, .handler = answered(live), .is_open = true},
      {.path = "/readyz", .methods = {"GET"}, .handler = answered(ready), .is_open = true},
      {"/admin/v1/explain", {"POST"}, answered(explain), guard},
      {std::string(BucketRoutes::kPath), {"GET", "DELETE"}, answered(bucket), guard, http::Reach::kBelow},
      {"/admin/v1/top", {"GET"}, answered(top), guard},
      {"/admin/v1/violations", {"GET"}, answered(violations), guard},
      {"/admin/v1/build", {"GET"}, answered(build), guard},
  };
  for (http::Route& route : rules_.routes()) routes.push_back(std::move(route));
  return routes;
}

// Probes bring no token: all may ask, but faults show parts of the rules.
void AdminDoor::send_readiness(const Request& request, Response& response) const {
  const Readiness readiness = readiness_of(sources_.rules(), sources_.store().fleet, sources_.is_draining());
  response.send({readiness.is_ready ? 200 : 503,
                 http::kJsonMediaType,
                 {&kFresh, 1},
                 gate_.may_see(request) ? readiness.details : readiness.summary});
}

void AdminDoor::send_build(Response& response) const {
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  json.name("name");
  json.string("sluice");
  json.name("version");
  json.string(sources_.build.version);
  json.name("compiler");
  json.string(sources_.build.compiler);
  json.name("type");
  json.string(sources_.build.type);
  json.end_object();
  response.send({200, http::kJsonMediaType, {}, text});
}

void AdminDoor::answer_bucket(const Request& request, Response& response) {
  request.method == "DELETE" ? buckets_.reset(request, response) : buckets_.inspect(request, response);
}

}  // namespace sluice::doors::admin
