#include "doors/admin/metrics.h"

#include <algorithm>

#include "telemetry/exposition.h"
#include "telemetry/process_stats.h"

namespace sluice::doors::admin {
namespace {

using telemetry::Exposition;
using telemetry::FamilyType;

uint64_t read(const std::atomic<uint64_t>& number) { return number.load(std::memory_order_relaxed); }

void write_counter(Exposition& out, std::string_view name, std::string_view help, uint64_t value) {
  out.family(name, FamilyType::kCounter, help);
  out.sample(value);
}

void write_gauge(Exposition& out, std::string_view name, std::string_view help, uint64_t value) {
  out.family(name, FamilyType::kGauge, help);
  out.sample(value);
}

void write_decisions(Exposition& out, const limiter::Limiter& limiter) {
  out.family("sluice_decisions_total", FamilyType::kCounter,
             "Decisions of each rule; of a shadow rule, what they would have been.");
  for (const limiter::RuleCounts& rule : limiter.counts()) {
    const std::string_view mode = rule.mode == rules::Mode::kShadow ? "shadow" : "enforce";
    const auto sample = [&](std::string_view outcome, uint64_t count) {
      out.sample({{"policy", rule.policy}, {"rule", rule.rule}, {"mode", mode}, {"outcome", outcome}}, count);
    };
    sample("allowed", rule.counts.allowed);
    sample("rejected", rule.counts.rejected);
  }
  out.family("sluice_rejections_total", FamilyType::kCounter, "Requests by the rules that were rejected, by reason.");
  const auto rejections = limiter.rejections();
  for (size_t i = 1; i < rejections.size(); ++i) {
    out.sample({{"reason", reason_text(static_cast<limiter::Reason>(i))}}, rejections[i]);
  }
  const limiter::Counts named = limiter.named_counts();
  out.family("sluice_named_decisions_total", FamilyType::kCounter,
             "Decisions on buckets that callers name and limit themselves.");
  out.sample({{"outcome", "allowed"}}, named.allowed);
  out.sample({{"outcome", "rejected"}}, named.rejected);
  const limiter::Counts degraded = limiter.degraded_counts();
  out.family("sluice_degraded_decisions_total", FamilyType::kCounter,
             "Requests that were decided without the store, since it was away.");
  out.sample({{"outcome", "allowed"}}, degraded.allowed);
  out.sample({{"outcome", "rejected"}}, degraded.rejected);
}

void write_handling(Exposition& out, const std::vector<const LoopFigures*>& loops) {
  telemetry::HistogramValues http;
  telemetry::HistogramValues resp;
  for (const LoopFigures* loop : loops) {
    http.add(loop->http.values());
    resp.add(loop->resp.values());
  }
  out.family("sluice_handling_seconds", FamilyType::kHistogram, "How long requests took, from read to answered.");
  out.histogram({{"door", "http"}}, http);
  out.histogram({{"door", "resp"}}, resp);
}

void write_store(Exposition& out, const StoreFigures& store) {
  write_gauge(out, "sluice_store_keys", "Buckets that are remembered.", store.keys);
  write_gauge(out, "sluice_store_bytes", "Memory that buckets take.", store.bytes);
  write_counter(out, "sluice_store_reclaimed_total", "Buckets that were full and made room.", store.reclaimed);
  write_counter(out, "sluice_store_shared_decisions_total",
                "Decisions on buckets that keys share, since there was no room.", store.shared);
  write_counter(out, "sluice_store_evicted_total", "Buckets that were dropped before they were full.", store.evicted);
  write_gauge(out, "sluice_store_up", "Whether the store can be asked; memory always can.",
              store.fleet && !store.fleet->is_up ? 0 : 1);
}

// Only where servers share a store.
void write_fleet(Exposition& out, const FleetFigures& fleet) {
  write_gauge(out, "sluice_store_servers", "Servers that share the store, as far as is known.", fleet.servers);
  write_gauge(out, "sluice_redis_connections", "Connections to Redis that are up.", fleet.connections);
  out.family("sluice_redis_commands_total", FamilyType::kCounter, "Commands for Redis, by what became of them.");
  out.sample({{"outcome", "answered"}}, fleet.commands - std::min(fleet.commands, fleet.timed_out + fleet.failed));
  out.sample({{"outcome", "timed_out"}}, fleet.timed_out);
  out.sample({{"outcome", "failed"}}, fleet.failed);
  out.sample({{"outcome", "refused"}}, fleet.refused);
  write_counter(out, "sluice_redis_redirects_total", "Commands that a Cluster sent elsewhere.", fleet.redirected);
  write_counter(out, "sluice_store_denied_here_total", "Requests that were rejected without asking the store.",
                fleet.denied_here);
  out.family("sluice_lease_tokens_total", FamilyType::kCounter, "Tokens taken from the store in advance.");
  out.sample({{"what", "taken"}}, fleet.leased);
  out.sample({{"what", "spent"}}, fleet.spent);
  out.family("sluice_lease_tokens_outstanding", FamilyType::kGauge, "Of these, those that wait to be spent.");
  out.sample(fleet.outstanding);
  write_counter(out, "sluice_store_unreadable_total", "Calls of Redis that met a bucket which they could not read.",
                fleet.unreadable);
}

void write_rules(Exposition& out, const RulesFigures& rules) {
  out.family("sluice_rules_reloads_total", FamilyType::kCounter, "How often the rules file was read.");
  out.sample({{"result", "loaded"}}, rules.loaded);
  out.sample({{"result", "refused"}}, rules.refused);
  out.family("sluice_rules_loaded_timestamp_seconds", FamilyType::kGauge, "When the rules in force were read.");
  if (rules.loaded > 0) out.sample(static_cast<double>(rules.loaded_at_unix_ms) / 1000);
  write_gauge(out, "sluice_rules_current", "Whether the rules in force are those of the file or table.",
              rules.are_current ? 1 : 0);
  out.family("sluice_rules_database_up", FamilyType::kGauge, "Whether the database of the rules can be read.");
  if (rules.is_table) out.sample(uint64_t{rules.away.empty()});
}

void write_connections(Exposition& out, const std::vector<DoorTraffic>& doors) {
  out.family("sluice_connections_open", FamilyType::kGauge, "Connections that are open.");
  for (const DoorTraffic& door : doors) out.sample({{"door", door.door}}, read(door.traffic->open));
  out.family("sluice_connections_total", FamilyType::kCounter, "What became of connections.");
  for (const DoorTraffic& door : doors) {
    const auto sample = [&](std::string_view outcome, const std::atomic<uint64_t>& count) {
      out.sample({{"door", door.door}, {"outcome", outcome}}, read(count));
    };
    sample("accepted", door.traffic->accepted);
    sample("refused", door.traffic->refused);
    sample("timed_out", door.traffic->timed_out);
    sample("failed", door.traffic->failed);
  }
}

void write_violations(Exposition& out, const audit::WriterStatus& audit) {
  write_counter(out, "sluice_violations_noted_total", "Rejections that were to be recorded.", audit.noted);
  out.family("sluice_violations_recorded_total", FamilyType::kCounter, "Rejections that are in rows, by where.");
  out.sample({{"in", "table"}}, audit.written.rejections);
  out.sample({{"in", "spill"}}, audit.spilled.rejections);
  out.family("sluice_violations_rows_total", FamilyType::kCounter, "Rows that were written, by where.");
  out.sample({{"in", "table"}}, audit.written.rows);
  out.sample({{"in", "spill"}}, audit.spilled.rows);
  out.family("sluice_violations_dropped_total", FamilyType::kCounter, "Rejections that no row tells of, by cause.");
  out.sample({{"cause", "ledger_full"}}, audit.dropped_ledger_full);
  out.sample({{"cause", "spill_full"}}, audit.dropped_spill_full.rejections);
  out.sample({{"cause", "spill_failed"}}, audit.dropped_spill_failed.rejections);
  out.sample({{"cause", "refused"}}, audit.dropped_refused.rejections);
  out.sample({{"cause", "stop"}}, audit.dropped_at_stop.rejections);
  write_counter(out, "sluice_violations_removed_rows_total", "Rows that were too old or too many.", audit.removed_rows);
  write_gauge(out, "sluice_violations_waiting_rows", "Rows that wait on disk for the database.", audit.waiting.rows);
  write_gauge(out, "sluice_violations_spill_bytes", "Bytes that these take.", audit.spill_bytes);
  write_gauge(out, "sluice_violations_database_up", "Whether the database of the violations takes them.",
              audit.is_away ? 0 : 1);
}

// Whether the list of the hottest keys stands for all decisions, or for a part.
void write_census(Exposition& out, const std::vector<const LoopFigures*>& loops) {
  uint64_t seen = 0;
  uint64_t lost = 0;
  for (const LoopFigures* loop : loops) {
    seen += loop->keys.seen();
    lost += loop->keys.lost();
  }
  write_counter(out, "sluice_top_keys_seen_total", "Decisions whose keys were handed on to be counted.", seen);
  write_counter(out, "sluice_top_keys_lost_total", "Of these, those that the counts do not stand for.", lost);
}

}  // namespace

std::string write_metrics(const Sources& sources) {
  Exposition out;
  out.family("sluice_build_info", FamilyType::kGauge, "Always 1; what runs is in the labels.");
  out.sample({{"version", sources.build.version}, {"compiler", sources.build.compiler}, {"type", sources.build.type}},
             uint64_t{1});
  write_decisions(out, sources.limiter);
  write_handling(out, sources.loops);
  const StoreFigures store = sources.store();
  write_store(out, store);
  if (store.fleet) write_fleet(out, *store.fleet);
  write_rules(out, sources.rules());
  write_connections(out, sources.traffic);
  write_census(out, sources.loops);
  write_violations(out, sources.audit ? sources.audit() : audit::WriterStatus());
  if (const auto stats = telemetry::read_process_stats()) telemetry::write_process_stats(*stats, out);
  return out.take();
}

}  // namespace sluice::doors::admin
