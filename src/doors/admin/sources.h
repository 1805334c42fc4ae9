// What the admin door tells of: ports, filled by whoever puts a server together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/writer.h"
#include "doors/admin/key_census.h"
#include "doors/admin/violations_route.h"
#include "doors/loop_figures.h"
#include "doors/time_source.h"
#include "limiter/limiter.h"
#include "net/traffic.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/table_opener.h"

namespace sluice::doors::admin {

// Of a store that servers share.
struct FleetFigures {
  bool is_up = false;
  std::string why;  // it is not
  uint64_t connections = 0;
  uint64_t servers = 0;  // that share it, as far as is known
  uint64_t commands = 0;
  uint64_t timed_out = 0;
  uint64_t failed = 0;
  uint64_t refused = 0;  // at once, since it was away
  uint64_t redirected = 0;
  uint64_t denied_here = 0;  // requests that were rejected without asking
  double leased = 0;         // tokens taken in advance
  double spent = 0;          // of these, without asking
  double outstanding = 0;
  uint64_t unreadable = 0;  // calls that met a bucket which they could not read
};

struct StoreFigures {
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t reclaimed = 0;  // buckets that were full and made room
  uint64_t shared = 0;     // decisions on buckets that keys share for want of room
  uint64_t evicted = 0;    // buckets that were dropped before they were full
  std::optional<FleetFigures> fleet{};
};

// How the rules stand to the file or the table that they come from.
struct RulesFigures {
  bool has_file = false;   // or a table; else all else is as it is here
  bool are_loaded = true;  // some are in force
  bool are_current = true;
  uint64_t loaded = 0;   // how often they were put in force
  uint64_t refused = 0;  // how often the file had faults
  int64_t loaded_at_unix_ms = 0;
  std::vector<std::string> faults{};  // of the last load
  bool is_table = false;
  std::string away{};  // why the table's database cannot be read; empty: it can
  int64_t away_since_unix_ms = 0;
};

// The table that rules come from, for the rules API; `open` is none where they are in no table.
struct RuleTableSource {
  rules::TableName name;
  rules::TableOpener open{};
  // After every change through this door: so that it is in force at once.
  std::function<void()> changed{};
};

struct DoorTraffic {
  std::string door;
  const net::Traffic* traffic = nullptr;
};

struct Build {
  std::string version;
  std::string compiler;
  std::string type;  // `release` or `debug`
};

// All that it refers to must outlive the doors that show it; the functions are called on the admin door's thread.
struct Sources {
  limiter::Limiter& limiter;
  TimeSource& time;
  KeyCensus& census;
  std::vector<const LoopFigures*> loops;
  std::function<StoreFigures()> store;
  std::function<RulesFigures()> rules;
  std::function<bool()> is_draining;
  std::vector<DoorTraffic> traffic;
  Build build;
  RuleTableSource table{};
  ReadViolations violations{};                   // empty: none are kept
  std::function<audit::WriterStatus()> audit{};  // likewise
};

}  // namespace sluice::doors::admin
