#include "doors/admin/readiness.h"

#include "doors/json_writer.h"

namespace sluice::doors::admin {
namespace {

std::string_view detail_of(const RulesFigures& rules) {
  if (!rules.has_file) return "no rules file is set";
  if (!rules.are_loaded) return "no rules are in force";
  if (!rules.away.empty()) return "the database is away; the last good rules are in force";
  if (rules.are_current)
    return rules.is_table ? "the rules of the table are in force" : "the rules of the file are in force";
  return rules.is_table ? "the table has faults; the last good rules are in force"
                        : "the file has faults; the last good rules are in force";
}

void write_rules(JsonWriter& json, const RulesFigures& rules) {
  json.begin_object();
  json.name("status");
  json.string(!rules.are_loaded ? "failing" : rules.are_current ? "ok" : "degraded");
  json.name("detail");
  json.string(detail_of(rules));
  if (!rules.away.empty()) {
    json.name("away");
    json.string(rules.away);
    json.name("away_since_unix_ms");
    json.integer(rules.away_since_unix_ms);
  }
  json.name("faults");
  json.begin_array();
  for (const std::string& fault : rules.faults) json.string(fault);
  json.end_array();
  json.end_object();
}

void write_store(JsonWriter& json, const FleetFigures& fleet) {
  json.begin_object();
  json.name("status");
  json.string(fleet.is_up ? "ok" : "degraded");
  json.name("detail");
  json.string(fleet.is_up ? "the store answers" : "the store is away; the rules say what is done without it");
  if (!fleet.why.empty()) {
    json.name("away");
    json.string(fleet.why);
  }
  json.end_object();
}

void write_draining(JsonWriter& json, bool is_draining) {
  json.begin_object();
  json.name("status");
  json.string(is_draining ? "failing" : "ok");
  json.name("detail");
  json.string(is_draining ? "about to stop: requests under way are answered, connections are closed" : "serving");
  json.end_object();
}

}  // namespace

Readiness readiness_of(const RulesFigures& rules, const std::optional<FleetFigures>& fleet, bool is_draining) {
  Readiness readiness;
  readiness.is_ready = rules.are_loaded && !is_draining;
  const bool is_whole = rules.are_current && (!fleet || fleet->is_up);
  const std::string_view status = !readiness.is_ready ? "not_ready" : is_whole ? "ready" : "degraded";
  JsonWriter summary(readiness.summary);
  summary.begin_object();
  summary.name("status");
  summary.string(status);
  summary.end_object();
  JsonWriter json(readiness.details);
  json.begin_object();
  json.name("status");
  json.string(status);
  json.name("checks");
  json.begin_object();
  json.name("rules");
  write_rules(json, rules);
  if (fleet) {
    json.name("store");
    write_store(json, *fleet);
  }
  json.name("serving");
  write_draining(json, is_draining);
  json.end_object();
  json.end_object();
  return readiness;
}

}  // namespace sluice::doors::admin
