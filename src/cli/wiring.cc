#include "cli/wiring.h"

#include <chrono>

#include "audit/postgres/postgres_violations.h"
#include "audit/sqlite/violation_table.h"
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

 private:
  // Also what is asked while the store is away: it never is.
  std::unique_ptr<MemoryStore> store_;
  limiter::Limiter limiter_;
};

// How long the threads of a server wait for a database.
constexpr std::chrono::milliseconds kShort{1'000};

sql::postgres::Patience patience_for(OpenedFor use) {
  if (use == OpenedFor::kCommand) return {};
  // Whoever waits for a lock is told so, rather than that a statement took too long.
  return {kShort * 4 / 5, kShort, kShort + kShort / 2, kShort};
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

}  // namespace sluice::cli
