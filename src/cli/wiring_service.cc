// The wiring of a server: its store, and who answers at its doors.
#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "cli/recorder.h"
#include "cli/wiring.h"
#include "doors/admin/admin_door.h"
#include "doors/desk.h"
#include "doors/http/public_door.h"
#include "doors/resp/session.h"
#include "redis/place.h"
#include "rules/jwt/verified_claims.h"
#include "sluice/result.h"
#include "stores/fleet/fleet.h"
#include "stores/memory/memory_store.h"

namespace sluice::cli {
namespace {

using memory::MemoryStore;

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

doors::admin::FleetFigures figures_of(const fleet::Figures& figures) {
  const auto tokens = [](uint64_t micros) { return Tokens::micros(static_cast<int64_t>(micros)).as_double(); };
  return {figures.is_up,
          figures.why,
          figures.connections,
          figures.peers,
          figures.commands,
          figures.timed_out,
          figures.failed,
          figures.refused,
          figures.redirected,
          figures.denied_here,
          tokens(figures.leased_micros),
          tokens(figures.spent_micros),
          tokens(figures.outstanding_micros),
          figures.unreadable};
}

// Where a server's buckets are: in its own memory, or shared with others.
class Buckets {
 public:
  Buckets(std::unique_ptr<MemoryStore> own, std::unique_ptr<fleet::Fleet> shared)
      : memory_(std::move(own)), fleet_(std::move(shared)) {}

  fleet::Fleet* fleet() const { return fleet_.get(); }
  // Memory is also what is asked while a shared store is away.
  limiter::Ports ports() const {
    limiter::Ports ports{fleet_ == nullptr ? *memory_ : fleet_->of_others(), *memory_,
                         rules::jwt::make_verified_claims};
    if (fleet_ != nullptr) ports.peers = [this] { return fleet_->peers(); };
    return ports;
  }
  stores::Store& of_loop(size_t loop) const { return fleet_ == nullptr ? *memory_ : fleet_->of_loop(loop); }

  doors::admin::StoreFigures figures() const {
    doors::admin::StoreFigures figures = figures_of(memory_->stats());
    if (fleet_ != nullptr) figures.fleet = figures_of(fleet_->figures());
    return figures;
  }

  // When a shared store has gone or come back, or has buckets that cannot be read. For one thread.
  void tell(telemetry::Log& log) {
    if (fleet_ == nullptr) return;
    const fleet::Figures figures = fleet_->figures();
    tell_of_unreadable(figures, log);
    if (figures.loops == 0 || figures.is_up == was_up_) return;
    was_up_ = figures.is_up;
    if (figures.is_up) {
      log.info("the store is there", {{"store", fleet_->place()}, {"servers", figures.peers}});
    } else {
      log.error("the store is away: rules say what is done without it",
                {{"store", fleet_->place()}, {"why", figures.why}});
    }
  }

 private:
  void tell_of_unreadable(const fleet::Figures& figures, telemetry::Log& log) {
    constexpr int64_t kApartMs = 10'000;
    const int64_t now_ms = net::monotonic_ms();
    if (figures.unreadable == unreadable_ || now_ms < unreadable_told_ms_ + kApartMs) return;
    unreadable_ = figures.unreadable;
    unreadable_told_ms_ = now_ms;
    log.error("a bucket cannot be read: a later Sluice wrote it, or somebody else; reset it",
              {{"bucket", figures.unreadable_bucket}, {"calls", figures.unreadable}});
  }

  std::unique_ptr<MemoryStore> memory_;
  std::unique_ptr<fleet::Fleet> fleet_;
  std::optional<bool> was_up_;
  uint64_t unreadable_ = 0;  // of which the log knows
  int64_t unreadable_told_ms_ = INT64_MIN / 2;
};

doors::admin::Build this_build() {
#ifdef NDEBUG
  return {SLUICE_VERSION, __VERSION__, "release"};
#else
  return {SLUICE_VERSION, __VERSION__, "debug"};
#endif
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

// The desks of all event loops.
class Desks {
 public:
  Desks(limiter::Limiter& limiter, const Buckets& buckets, doors::TimeSource& time, Recorder& recorder, size_t loops) {
    for (size_t i = 0; i < loops; ++i) {
      desks_.push_back(std::make_unique<doors::LoopDesk>(limiter, buckets.of_loop(i), time, recorder.ledger(i)));
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

class WiredService final : public Service {
 public:
  WiredService(Buckets buckets, const config::Settings& settings, size_t loops)
      : settings_(settings),
        buckets_(std::move(buckets)),
        limiter_(buckets_.ports()),
        recorder_(opener_of_violations(settings), settings, loops),
        desks_(limiter_, buckets_, time_, recorder_, loops),
        census_(static_cast<size_t>(settings.top_keys.size), desks_.feeds()),
        shown_{.limiter = limiter_,
               .time = time_,
               .census = census_,
               .loops = desks_.figures(),
               .store = [this] { return buckets_.figures(); },
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

  limiter::Limiter& limiter() override { return limiter_; }

  bool waits() const override { return buckets_.fleet() != nullptr; }
  std::unique_ptr<net::Resident> resident(size_t loop, net::Loop& its_loop, net::Fibers& fibers) override {
    return buckets_.fleet()->make(loop, its_loop, fibers);
  }
  void await_store() override {
    constexpr int64_t kPatienceMs = 500;
    if (waits()) buckets_.fleet()->await(kPatienceMs);
  }
  void give_back() override {
    constexpr int64_t kPatienceMs = 500;
    if (waits()) buckets_.fleet()->give_back(kPatienceMs);
  }

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
  void tell(telemetry::Log& log) override {
    recorder_.tell(log);
    buckets_.tell(log);
  }

 private:
  const config::Settings& settings_;
  Buckets buckets_;
  limiter::Limiter limiter_;
  doors::SystemTime time_{system_clock()};
  Recorder recorder_;
  Desks desks_;
  doors::admin::KeyCensus census_;
  std::atomic<bool> is_draining_{false};
  doors::admin::Sources shown_;
};

// The text is why there is none.
std::variant<std::unique_ptr<fleet::Fleet>, std::string> make_fleet(const config::Settings& settings, size_t loops) {
  auto place = redis::read_place(settings.store);
  if (auto* why = std::get_if<std::string>(&place)) return std::move(*why);
  fleet::Options options;
  options.place = std::get<redis::Place>(std::move(place));
  options.timeout_ms = settings.redis.timeout.count();
  options.prefix = settings.redis.prefix;
  options.deny_cache = settings.redis.deny_cache;
  options.authorities = settings.redis.ca.string();
  return fleet::Fleet::create(options, loops, system_clock());
}

}  // namespace

std::variant<std::unique_ptr<Service>, std::string> make_service(const config::Settings& settings, size_t loops) {
  auto memory = MemoryStore::create({settings.memory.max_bytes.count, settings.memory.huge_pages});
  if (!memory) return "memory.max_bytes: " + describe(memory.error());
  std::unique_ptr<fleet::Fleet> fleet;
  if (settings.store != "memory") {
    auto made = make_fleet(settings, loops);
    if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
    fleet = std::move(std::get<std::unique_ptr<fleet::Fleet>>(made));
  }
  return std::make_unique<WiredService>(Buckets(std::move(*memory), std::move(fleet)), settings, loops);
}

}  // namespace sluice::cli
