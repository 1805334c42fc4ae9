#include "doors/explain_json.h"

#include "doors/decision_json.h"

namespace sluice::doors {
namespace {

void write_rule(JsonWriter& json, const rules::RuleReport& rule) {
  json.begin_object();
  json.name("policy");
  json.string(rule.policy->id);
  json.name("rule");
  json.string(rule.rule->name);
  json.name("applies");
  json.boolean(rule.applies);
  json.name("why");
  json.string(rule.why);
  if (rule.applies) {
    json.name("key");
    json.string(rule.key);
    json.name("cost");
    json.tokens(rule.cost);
  }
  json.end_object();
}

void write_report(JsonWriter& json, const rules::Report& report) {
  json.begin_object();
  json.name("client");
  json.string(report.client);
  json.name("token");
  json.string(report.token);
  if (!report.killed_for.empty()) {
    json.name("kill_switch");
    json.string(report.killed_for);
  }
  json.name("rules");
  json.begin_array();
  for (const rules::RuleReport& rule : report.rules) write_rule(json, rule);
  json.end_array();
  if (!report.not_active.empty()) {
    json.name("not_active");
    json.begin_array();
    for (const std::string& what : report.not_active) json.string(what);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

void write_explanation(JsonWriter& json, const limiter::Answer& answer, const rules::Report& report) {
  json.begin_object();
  json.name("decision");
  write_decision(json, answer, {.keys = true});
  json.name("explain");
  write_report(json, report);
  json.end_object();
}

}  // namespace sluice::doors
