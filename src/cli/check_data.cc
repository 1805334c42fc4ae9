#include <string>

#include "cli/check_report.h"
#include "doors/decision_json.h"
#include "doors/json_writer.h"

namespace sluice::cli {
namespace {

void write_rule(doors::JsonWriter& json, const rules::RuleReport& rule) {
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

void write_report(doors::JsonWriter& json, const rules::Report& report) {
  json.begin_object();
  json.name("client");
  json.string(report.client);
  json.name("token");
  json.string(report.token);
  json.name("rules");
  json.begin_array();
  for (const rules::RuleReport& rule : report.rules) write_rule(json, rule);
  json.end_array();
  json.end_object();
}

}  // namespace

void print_answer_json(const CheckResult& result, Output& out) {
  std::string text;
  doors::JsonWriter json(text);
  if (result.report == nullptr) {
    doors::write_decision(json, result.answer, {.keys = true});
  } else {
    json.begin_object();
    json.name("decision");
    doors::write_decision(json, result.answer, {.keys = true});
    json.name("explain");
    write_report(json, *result.report);
    json.end_object();
  }
  out.print("{}\n", text);
}

}  // namespace sluice::cli
