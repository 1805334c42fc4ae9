#include "doors/violation_json.h"

#include "documents/utc_time.h"
#include "doors/json_writer.h"
#include "doors/violation_query.h"

namespace sluice::doors {
namespace {

void text(JsonWriter& json, std::string_view name, const std::optional<std::string>& value) {
  json.name(name);
  value ? json.string(*value) : json.null();
}

void write(JsonWriter& json, const audit::Violation& violation) {
  json.begin_object();
  json.name("violation_id");
  json.integer(violation.id);
  json.name("bucket_key");
  json.string(violation.bucket_key);
  text(json, "user_id", violation.user_id);
  text(json, "ip_address", violation.ip_address);
  text(json, "endpoint", violation.endpoint);
  json.name("requested_at");
  json.string(documents::utc_text(violation.requested_at_us));
  json.name("last_at");
  json.string(documents::utc_text(violation.last_at_us));
  json.name("count");
  json.integer(static_cast<int64_t>(violation.count));
  json.name("tokens_at_time");
  json.number(violation.tokens_at_time);
  json.name("cost");
  json.number(violation.cost);
  json.name("rule_id");
  violation.rule_id ? json.integer(*violation.rule_id) : json.null();
  json.name("policy");
  violation.policy.empty() ? json.null() : json.string(violation.policy);
  json.name("rule");
  violation.rule.empty() ? json.null() : json.string(violation.rule);
  json.name("reason");
  json.string(violation.reason);
  json.name("is_shadow");
  json.boolean(violation.is_shadow);
  json.end_object();
}

}  // namespace

void write_violations(std::span<const audit::Violation> page, size_t limit, std::string& out) {
  JsonWriter json(out);
  json.begin_object();
  json.name("violations");
  json.begin_array();
  for (const audit::Violation& violation : page) write(json, violation);
  json.end_array();
  json.name("next");
  page.size() < limit ? json.null() : json.string(cursor_text({page.back().requested_at_us, page.back().id}));
  json.end_object();
}

}  // namespace sluice::doors
