#include "doors/admin/bucket_routes.h"

#include <array>

#include "doors/admin/bucket_address.h"
#include "doors/decision_fields.h"
#include "doors/json_writer.h"

namespace sluice::doors::admin {
namespace {

using Results = std::array<stores::BucketResult, stores::Store::kMaxTakes>;

std::variant<BucketAddress, AddressFault> address_in(const http::Request& request, const rules::RuleSet& rules,
                                                     NamedNeeds needs) {
  return read_address(request.target.path.substr(BucketRoutes::kPath.size()), request.target.query, rules, needs);
}

void send_away(http::Response& response) { response.send_fault(503, "The store does not answer; try again."); }

void write_names(JsonWriter& json, const BucketAddress& address) {
  json.name("key");
  json.string(address.key);
  decision_fields::text_or_null(json, "policy", address.policy == nullptr ? "" : address.policy->id);
  decision_fields::text_or_null(json, "rule", address.rule == nullptr ? "" : address.rule->name);
}

void write_bucket(JsonWriter& json, const Limit& limit, const stores::BucketResult& result) {
  json.begin_object();
  json.name("algorithm");
  json.string(name_of(limit.algorithm()));
  json.name("limit");
  json.tokens(limit.capacity());
  json.name("window_ms");
  json.integer(limit.window().ceil_millis());
  json.name("remaining");
  json.tokens(result.decision.remaining);
  json.name("reset_after_ms");
  json.integer(result.reset_after.ceil_millis());
  json.end_object();
}

}  // namespace

void BucketRoutes::inspect(const http::Request& request, http::Response& response) {
  // Kept while the address points into it.
  const auto active = limiter_.rules();
  const auto found = address_in(request, active->rules(), NamedNeeds::kLimit);
  if (const auto* fault = std::get_if<AddressFault>(&found)) return response.send_fault(fault->status, fault->sentence);
  const BucketAddress& address = std::get<BucketAddress>(found);
  const std::vector<Take> takes = address.takes();
  Results results;
  const auto progress =
      worker_.look_after(takes, stores::Action::kPeek, time_.instant(), std::span(results).first(takes.size()));
  if (progress != stores::Progress::kAnswered) return send_away(response);
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  write_names(json, address);
  json.name("buckets");
  json.begin_array();
  for (size_t i = 0; i < takes.size(); ++i) write_bucket(json, *takes[i].limit, results[i]);
  json.end_array();
  json.end_object();
  response.send({200, http::kJsonMediaType, {}, text});
}

void BucketRoutes::reset(const http::Request& request, http::Response& response) {
  const auto active = limiter_.rules();
  const auto found = address_in(request, active->rules(), NamedNeeds::kKey);
  if (const auto* fault = std::get_if<AddressFault>(&found)) return response.send_fault(fault->status, fault->sentence);
  const BucketAddress& address = std::get<BucketAddress>(found);
  const auto progress = worker_.look_after(address.takes(), stores::Action::kReset, time_.instant(), {});
  if (progress != stores::Progress::kAnswered) return send_away(response);
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  write_names(json, address);
  json.name("reset");
  json.boolean(true);
  json.end_object();
  response.send({200, http::kJsonMediaType, {}, text});
}

}  // namespace sluice::doors::admin
