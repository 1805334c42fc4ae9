#include "cli/wiring.h"

#include <atomic>
#include <chrono>
#include <vector>

#include "audit/postgres/postgres_violations.h"
#include "audit/sqlite/violation_table.h"
#include "cli/recorder.h"
#include "doors/admin/admin_door.h"
#include "doors/desk.h"
#include "doors/http/public_door.h"
#include "doors/resp/session.h"
#include "rules/file/reloader.h"
#include "rules/jwt/verified_claims.h"
#include "rules/postgres/postgres_rules.h"
#include "rules/sqlite/rule_table.h"
#include "rules/table/follower.h"
#include "sluice/result.h"
#include "stores/memory/memory_store.h"

namespace sluice::cli {
namespace {

using memory::MemoryStore;

class MemoryEngine final : public Engine {
 public:
  explicit MemoryEngine(std::unique_ptr<MemoryStore> store)
      : store_(std::move(store)), limiter_({*store_, *store_, rules::jwt::make_verified_claims}) {}

  limiter::Limiter& limiter() override { return limiter_; }
  const MemoryStore& store() const { return *store_; }

 private:
  // Also what is asked while the store is away: it never is.
  std::unique_ptr<MemoryStore> store_;
  limiter::Limiter limiter_;
};

doors::Access access_for(const config::Secret& token) {
  return token.empty() ? doors::Access() : doors::Access(token.reveal());
}

int64_t unix_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

doors::admin::RulesFigures figures_of(const rules::SourceStatus& status) {
  doors::admin::RulesFigures figures;
  figures.has_file = true;
  figures.are_loaded = status.generation > 0;
  figures.are_current = status.is_current;
  figures.loaded = status.generation;
  figures.refused = status.refused;
  figures.loaded_at_unix_ms = unix_ms(status.loaded_at);
  for (const rules::Fault& fault : status.faults) figures.faults.push_back(describe(fault));
  figures.is_table = status.is_table;
  if (status.away) {
    figures.away = status.away->why;
    figures.away_since_unix_ms = unix_ms(status.away->since);
  }
  return figures;
}

doors::admin::StoreFigures figures_of(const memory::Stats& stats) {
  doors::admin::StoreFigures figures;
  figures.keys = stats.keys;
  figures.bytes = stats.bytes;
  figures.reclaimed = stats.reclaimed;
  figures.shared = stats.shared;
  return figures;
}

doors::admin::Build this_build() {
#ifdef NDEBUG
  return {SLUICE_VERSION, __VERSION__, "release"};
#else
  return {SLUICE_VERSION, __VERSION__, "debug"};
#endif
}

// How long the threads of a server wait for a database.
constexpr std::chrono::milliseconds kShort{1'000};

sql::postgres::Patience patience_for(OpenedFor use) {
  if (use == OpenedFor::kCommand) return {};
  return {kShort, kShort, kShort + kShort / 2, kShort};
}

// Where violations go; nowhere where there is no database for them.
config::Source place_of_violations(const config::Settings& settings) {
  if (!settings.violations.record) return {};
  if (!settings.violations.in.empty()) return settings.violations.in;
  const config::Source rules = rules_of(settings);
  return rules.is_database() ? rules : config::Source();
}

audit::OpenTable opener_of_violations(const config::Settings& settings) {
  const config::Source place = place_of_violations(settings);
  if (place.empty()) return {};
  return [place] { return open_violations(place, OpenedFor::kServer); };
}

// Whoever may not write a file can still read it: each edit is refused then.
template <class Open>
auto open_file(const Open& open, const std::string& path, OpenedFor use)
    -> decltype(open(path, sql::sqlite::Options())) {
  using sql::sqlite::Access;
  sql::sqlite::Options options;
  if (use == OpenedFor::kServer) options = {Access::kWriteExisting, kShort, 2 * kShort};
  auto table = open(path, options);
  if (table || table.fault().trouble != sql::Trouble::kReadOnly) return table;
  options.access = Access::kReadOnly;
  auto to_read = open(path, options);
  if (!to_read) return table;
  return to_read;
}

// The desks of all event loops.
class Desks {
 public:
  Desks(limiter::Limiter& limiter, doors::TimeSource& time, Recorder& recorder, size_t loops) {
    for (size_t i = 0; i < loops; ++i) {
      desks_.push_back(std::make_unique<doors::LoopDesk>(limiter, time, recorder.ledger(i)));
    }
  }

  size_t size() const { return desks_.size(); }
  doors::LoopDesk& operator[](size_t loop) { return *desks_[loop]; }
  std::vector<telemetry::KeyFeed*> feeds() {
    std::vector<telemetry::KeyFeed*> feeds;
    for (const auto& desk : desks_) feeds.push_back(&desk->figures.keys);
    return feeds;
  }
  std::vector<const doors::LoopFigures*> figures() const {
    std::vector<const doors::LoopFigures*> figures;
    for (const auto& desk : desks_) figures.push_back(&desk->figures);
    return figures;
  }

 private:
  std::vector<std::unique_ptr<doors::LoopDesk>> desks_;
};

class MemoryService final : public Service {
 public:
  MemoryService(std::unique_ptr<MemoryStore> store, const config::Settings& settings, size_t loops)
      : settings_(settings),
        engine_(std::move(store)),
        recorder_(opener_of_violations(settings), settings, engine_.limiter(), loops),
        desks_(engine_.limiter(), time_, recorder_, loops),
        census_(static_cast<size_t>(settings.top_keys.size), desks_.feeds()),
        shown_{.limiter = engine_.limiter(),
               .time = time_,
               .census = census_,
               .loops = desks_.figures(),
               .store = [this] { return figures_of(engine_.store().stats()); },
               .rules = [] { return doors::admin::RulesFigures(); },
               .is_draining = [this] { return is_draining_.load(); },
               .traffic = {},
               .build = this_build()} {
    census_.start();
    recorder_.start();
    if (recorder_.is_on()) {
      shown_.audit = [this] { return recorder_.status(); };
      shown_.violations = [this](const auto& filter, const auto& after, size_t most) {
        return recorder_.read(filter, after, most);
      };
    }
  }

  limiter::Limiter& limiter() override { return engine_.limiter(); }

  std::unique_ptr<net::SessionMaker> http(size_t loop) override {
    doors::http::PublicSettings http;
    http.limits.header_bytes = settings_.http.max_header_bytes.count;
    http.limits.body_bytes = settings_.http.max_body_bytes.count;
    http.decision.rejected_status = static_cast<int>(settings_.http.decision_status);
    http.most_items = static_cast<size_t>(settings_.http.max_batch);
    http.access = access_for(settings_.http.token);
    return std::make_unique<doors::http::PublicDoor>(desks_[loop], http);
  }

  std::unique_ptr<net::SessionMaker> resp(size_t loop) override {
    doors::resp::Options resp;
    resp.access = access_for(settings_.resp.token);
    resp.limits.command = settings_.resp.max_command_bytes.count;
    resp.limits.arguments = static_cast<size_t>(settings_.resp.max_arguments);
    resp.first_client_id = loop + 1;
    resp.client_id_step = desks_.size();
    return std::make_unique<doors::resp::SessionMaker>(desks_[loop], std::move(resp));
  }

  std::unique_ptr<net::SessionMaker> admin(bool is_beyond_loopback) override {
    doors::admin::AdminSettings admin;
    admin.limits.header_bytes = settings_.http.max_header_bytes.count;
    admin.limits.body_bytes = settings_.http.max_body_bytes.count;
    if (!settings_.admin.token.empty()) admin.token.add(settings_.admin.token.reveal(), "admin");
    for (const config::NamedSecret& token : settings_.admin.tokens) admin.token.add(token.secret.reveal(), token.name);
    admin.is_beyond_loopback = is_beyond_loopback;
    return std::make_unique<doors::admin::AdminDoor>(shown_, admin);
  }

  void show_traffic(const std::string& door, const net::Traffic& traffic) override {
    shown_.traffic.push_back({door, &traffic});
  }
  void show_rules(rules::Source& source) override {
    shown_.rules = [&source] { return figures_of(source.status()); };
    const config::Source place = rules_of(settings_);
    if (!place.is_database()) return;
    shown_.table = {table_name(place), [place] { return open_rules(place, OpenedFor::kServer); },
                    [&source] { source.poke(); }};
  }
  void show_draining() override { is_draining_ = true; }
  void finish(std::chrono::milliseconds deadline) override { recorder_.stop(deadline); }
  void tell(telemetry::Log& log) override { recorder_.tell(log); }

 private:
  const config::Settings& settings_;
  MemoryEngine engine_;
  doors::SystemTime time_{system_clock()};
  Recorder recorder_;
  Desks desks_;
  doors::admin::KeyCensus census_;
  std::atomic<bool> is_draining_{false};
  doors::admin::Sources shown_;
};

}  // namespace

config::Source rules_of(const config::Settings& settings) {
  return settings.rules.empty() ? config::database_in(settings.data_dir) : settings.rules;
}

rules::TableName table_name(const config::Source& source) { return {source.text(), source.path.parent_path()}; }

sql::Outcome<std::unique_ptr<rules::RuleTable>> open_rules(const config::Source& source, OpenedFor use) {
  if (source.kind == config::Source::Kind::kSqlite) {
    return open_file(rules::sqlite::open_rules, source.path.string(), use);
  }
  return rules::open_postgres_rules(source.url.reveal(), patience_for(use));
}

sql::Outcome<std::unique_ptr<audit::ViolationTable>> open_violations(const config::Source& source, OpenedFor use) {
  if (source.kind == config::Source::Kind::kSqlite) {
    return open_file(audit::sqlite::open_violations, source.path.string(), use);
  }
  return audit::open_postgres_violations(source.url.reveal(), patience_for(use));
}

std::unique_ptr<rules::Source> follow_rules(const config::Settings& settings, rules::SourceListener listener) {
  const config::Source place = rules_of(settings);
  if (!place.is_database()) {
    rules::Reloader::Options options;
    options.path = place.path.string();
    options.on_sighup = false;  // whoever holds it pokes it
    return std::make_unique<rules::Reloader>(options, rules::load_file, std::move(listener));
  }
  rules::Follower::Options options;
  options.name = table_name(place);
  // A file beside the program is there whenever the program is.
  if (place.kind == config::Source::Kind::kPostgres) options.snapshot_file = settings.data_dir / "rules.cache.json";
  return std::make_unique<rules::Follower>(
      options, [place] { return open_rules(place, OpenedFor::kServer); }, std::move(listener));
}

std::variant<std::unique_ptr<Engine>, std::string> make_engine(std::shared_ptr<const rules::RuleSet> rules) {
  auto store = MemoryStore::create({});
  if (!store) return describe(store.error());
  auto engine = std::make_unique<MemoryEngine>(std::move(*store));
  engine->limiter().set_rules(std::move(rules));
  return engine;
}

std::variant<std::unique_ptr<Service>, std::string> make_service(const config::Settings& settings, size_t loops) {
  auto store = MemoryStore::create({settings.memory.max_bytes.count, settings.memory.huge_pages});
  if (!store) return "memory.max_bytes: " + describe(store.error());
  return std::make_unique<MemoryService>(std::move(*store), settings, loops);
}

}  // namespace sluice::cli
