// The engine put together for a program: which store, which way to verify tokens. wiring.cc and wiring_service.cc
// alone know the classes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "audit/violation_table.h"
#include "config/settings.h"
#include "limiter/limiter.h"
#include "net/server.h"
#include "net/session.h"
#include "net/traffic.h"
#include "rules/claims.h"
#include "rules/language/source.h"
#include "rules/model.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/rule_table.h"
#include "sql/outcome.h"
#include "telemetry/log.h"

namespace sluice::cli {

// A limiter on buckets in memory. Owns everything it needs.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual limiter::Limiter& limiter() = 0;
};

// With these rules in force. The text is why there is none: no memory.
std::variant<std::unique_ptr<Engine>, std::string> make_engine(std::shared_ptr<const rules::RuleSet> rules);

// Where the rules are: as the settings say, else the database in the data folder.
config::Source rules_of(const config::Settings& settings);
rules::TableName table_name(const config::Source& source);

enum class OpenedFor : uint8_t {
  kCommand,  // a SQLite file is made where there is none, and an answer is waited for
  kServer,   // one that is gone is away, and nobody waits for long: others are waiting for whoever asks
};

// Tables of a database. REQUIRES: source.is_database().
sql::Outcome<std::unique_ptr<rules::RuleTable>> open_rules(const config::Source& source, OpenedFor use);
sql::Outcome<std::unique_ptr<audit::ViolationTable>> open_violations(const config::Source& source, OpenedFor use);

// Rules that follow their file or table; both are in the settings, where the folder for a copy on disk is too.
std::unique_ptr<rules::Source> follow_rules(const config::Settings& settings, rules::SourceListener listener);

// What a server is made of: a limiter, and for each event loop its doors. Owns everything it needs.
class Service {
 public:
  virtual ~Service() = default;
  virtual limiter::Limiter& limiter() = 0;

  // Whether its store answers later. Then every loop has a resident, made before its doors, which speak on fibers.
  virtual bool waits() const = 0;
  virtual std::unique_ptr<net::Resident> resident(size_t loop, net::Loop& its_loop, net::Fibers& fibers) = 0;
  // When the loops run: until all of them can ask their store, or it takes too long.
  virtual void await_store() = 0;
  // Before the loops end: what was taken in advance from a shared store.
  virtual void give_back() = 0;

  // Who answers at a door; for the thread of that loop.
  virtual std::unique_ptr<net::SessionMaker> http(size_t loop) = 0;
  virtual std::unique_ptr<net::SessionMaker> resp(size_t loop) = 0;
  virtual std::unique_ptr<net::SessionMaker> admin(bool is_beyond_loopback) = 0;

  // What the admin door tells of: before it is made. All must outlive the service's doors.
  virtual void show_traffic(const std::string& door, const net::Traffic& traffic) = 0;
  virtual void show_rules(rules::Source& source) = 0;
  // From now on it is about to stop. Any thread.
  virtual void show_draining() = 0;
  // When the loops have ended: what they rejected is written down within that time.
  virtual void finish(std::chrono::milliseconds deadline) = 0;
  // Whether that is still done, when it changes. For one thread.
  virtual void tell(telemetry::Log& log) = 0;
};

std::variant<std::unique_ptr<Service>, std::string> make_service(const config::Settings& settings, size_t loops);

}  // namespace sluice::cli
