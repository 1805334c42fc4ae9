#include "cli/server.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/demo.h"
#include "net/supervisor.h"
#include "rules/language/load.h"

namespace sluice::cli {
namespace {

size_t cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<size_t>(std::max(CPU_COUNT(&set), 1));
}

// Every connection is a descriptor, and the usual bound is 1024.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

net::Endpoint endpoint_of(const config::Address& address) {
  if (address.is_local_socket()) return {"", 0, address.path};
  return {address.host.empty() ? "::" : address.host, address.port, ""};
}

// For what was rejected last, when all else has ended: supervisors do not wait for ever.
constexpr std::chrono::milliseconds kToWriteDown{3'000};

Failure failure(const std::string& why) { return {"sluice serve: " + why, "", kFailed}; }
Failure failure_of(const sql::Fault& fault) { return {"sluice serve: " + fault.message, fault.hint, kFailed}; }

constexpr uint64_t kAdminConnections = 256;

}  // namespace

struct Server::Door {
  std::string name;
  const config::Addresses* listen;
  bool tls;
  std::chrono::milliseconds idle_timeout;
  std::function<std::unique_ptr<net::SessionMaker>(size_t loop)> make;
  std::vector<net::Descriptor> adopted{};
  std::vector<net::Endpoint> places{};  // with the ports that were asked for
  net::Server* server = nullptr;
  size_t number = 0;
  std::unique_ptr<net::Traffic> traffic = std::make_unique<net::Traffic>();
};

Server::Server(const config::Settings& settings, telemetry::Log& log)
    : settings_(settings),
      log_(log),
      cap_(static_cast<uint64_t>(settings.connections.max)),
      admin_cap_(kAdminConnections) {}

Server::~Server() = default;

std::optional<Failure> Server::start() {
  allow_many_descriptors();
  const size_t loops = settings_.loops == 0 ? cores() : static_cast<size_t>(settings_.loops);
  auto made = make_service(settings_, loops);
  if (const auto* why = std::get_if<std::string>(&made)) return failure(*why);
  service_ = std::move(std::get<std::unique_ptr<Service>>(made));
  if (auto failed = load_rules()) return failed;
  if (auto failed = load_certificate()) return failed;
  loops_ = std::make_unique<net::Server>(loops);
  aside_ = std::make_unique<net::Server>(1);
  if (service_->waits()) {
    loops_->house([this](size_t loop, net::Loop& its_loop, net::Fibers& fibers) {
      return service_->resident(loop, its_loop, fibers);
    });
  }
  if (auto failed = open_doors()) return failed;
  service_->await_store();
  service_->tell(log_);
  has_started_ = true;
  tell_where();
  return std::nullopt;
}

// All faults are told at the start, and nothing is served, unless there is a copy of the rules; later, the last good
// rules stay.
std::optional<Failure> Server::load_rules() {
  const std::string place = rules_of(settings_).text();
  if (auto failed = prepare_tables()) return failed;
  source_ = follow_rules(settings_, listener(place));
  service_->show_rules(*source_);
  const rules::SourceStatus status = source_->status();
  if (status.generation > 0) return std::nullopt;
  std::string text;
  for (const rules::Fault& fault : status.faults) text += describe(fault) + "\n";
  if (status.away) {
    return Failure{text + "sluice serve: " + status.away->why, "is " + place + " the right place for the rules?",
                   kFailed};
  }
  const std::string hint = status.is_table ? "'sluice rules list --rules " + place + "' shows the rows"
                                           : "'sluice rules lint " + place + "' checks them";
  return Failure{text + "sluice serve: no rules to serve", hint, kBadUsage};
}

rules::SourceListener Server::listener(const std::string& place) {
  const auto on_rules = [this, place](std::shared_ptr<const rules::RuleSet> rules) {
    size_t count = 0;
    for (const rules::Policy& policy : rules->policies) count += policy.rules.size();
    service_->limiter().set_rules(std::move(rules));
    has_rules_ = true;
    log_.info("rules in force", {{"from", place}, {"rules", count}});
    if (count == 0) log_.warn("no rules: only requests that bring their own rate and burst are limited");
  };
  const auto on_faults = [this](const std::vector<rules::Fault>& faults) {
    if (!has_started_ && !has_rules_) return;  // told in full by whoever starts it
    for (const rules::Fault& fault : faults) log_.error(describe(fault), {{"kept", "the last good rules"}});
  };
  const auto on_away = [this, place](const std::optional<rules::Absence>& absence) {
    if (!has_rules_) return;  // likewise
    if (absence) {
      log_.error("the database of the rules is away",
                 {{"from", place}, {"why", absence->why}, {"kept", "the last good rules"}});
    } else {
      log_.info("the database of the rules is back", {{"from", place}});
    }
  };
  return {on_rules, on_faults, on_away};
}

// A file is made now, if it is not there: later, one that is gone is no empty table. Where a server of databases does
// not answer, the follower of its tables knows what to do.
std::optional<Failure> Server::prepare_tables() {
  const config::Source place = rules_of(settings_);
  if (settings_.violations.in.kind == config::Source::Kind::kSqlite) {
    const auto violations = open_violations(settings_.violations.in, OpenedFor::kCommand);
    if (!violations) return failure_of(violations.fault());
  }
  if (!place.is_database()) return std::nullopt;
  auto table = open_rules(place, OpenedFor::kCommand);
  if (!table && place.kind == config::Source::Kind::kSqlite) return failure_of(table.fault());
  if (!table || !settings_.demo) return std::nullopt;
  if (const auto why = fill_with_demo_rules(**table, table_name(place))) return failure(*why);
  return std::nullopt;
}

std::optional<Failure> Server::load_certificate() {
  if (!settings_.http.tls && !settings_.resp.tls && !settings_.admin.tls) return std::nullopt;
  auto made = net::TlsIdentity::load({settings_.tls.certificate.string(), settings_.tls.key.string()});
  if (const auto* why = std::get_if<std::string>(&made)) return Failure{"sluice serve: " + *why, "", kBadUsage};
  identity_ = std::move(std::get<std::unique_ptr<net::TlsIdentity>>(made));
  look_around();
  return std::nullopt;
}

std::optional<Failure> Server::open_doors() {
  add_door({"http", &settings_.http.listen, settings_.http.tls, settings_.http.idle_timeout,
            [this](size_t loop) { return service_->http(loop); }},
           Where::kLoops);
  add_door({"resp", &settings_.resp.listen, settings_.resp.tls, settings_.resp.idle_timeout,
            [this](size_t loop) { return service_->resp(loop); }},
           Where::kLoops);
  add_door({"admin", &settings_.admin.listen, settings_.admin.tls, settings_.http.idle_timeout,
            [this](size_t) { return service_->admin(reaches_beyond_loopback("admin")); }},
           Where::kAlone);
  const auto hand_over = [this](net::HandedOver socket) {
    for (const auto& door : doors_) {
      if (socket.name == door->name) return door->adopted.push_back(std::move(socket.fd));
    }
    log_.warn("a socket was handed over for no door, and is closed",
              {{"name", socket.name}, {"hint", "FileDescriptorName= must be http, resp or admin"}});
  };
  for (net::HandedOver& socket : net::take_sockets()) hand_over(std::move(socket));
  for (const auto& door : doors_) {
    std::vector<net::Endpoint> endpoints;
    if (door->adopted.empty()) {
      for (const config::Address& address : *door->listen) endpoints.push_back(endpoint_of(address));
    }
    const net::Patience patience{door->idle_timeout.count(), settings_.connections.message_timeout.count(),
                                 settings_.connections.write_timeout.count()};
    for (const net::Endpoint& endpoint : endpoints) door->places.push_back(endpoint);
    for (const net::Descriptor& socket : door->adopted) door->places.push_back(net::bound_to(socket.get()));
    net::ConnectionCap& cap = door->server == aside_.get() ? admin_cap_ : cap_;
    door->number = door->server->add({{patience, cap, *door->traffic, door->tls ? identity_.get() : nullptr},
                                      std::move(endpoints),
                                      std::move(door->adopted),
                                      door->make});
  }
  for (net::Server* server : {loops_.get(), aside_.get()}) {
    if (const std::string why = server->start(); !why.empty()) return failure(why);
  }
  return std::nullopt;
}

void Server::add_door(Door door, Where where) {
  doors_.push_back(std::make_unique<Door>(std::move(door)));
  doors_.back()->server = where == Where::kLoops ? loops_.get() : aside_.get();
  service_->show_traffic(doors_.back()->name, *doors_.back()->traffic);
}

std::vector<net::Endpoint> Server::endpoints(const std::string& door) const {
  for (const auto& one : doors_) {
    if (one->name == door) return one->server->endpoints(one->number);
  }
  return {};
}

std::string Server::url(const std::string& door) const {
  for (const auto& one : doors_) {
    if (one->name != door) continue;
    for (const net::Endpoint& endpoint : one->server->endpoints(one->number)) {
      if (!endpoint.is_local()) return (one->tls ? "https://" : "http://") + to_text(endpoint);
    }
  }
  return {};
}

bool Server::reaches_beyond_loopback(const std::string& door) const {
  for (const auto& one : doors_) {
    if (one->name != door) continue;
    return std::any_of(one->places.begin(), one->places.end(), [](const net::Endpoint& place) {
      return !config::Address{place.host, place.port, place.path}.is_loopback();
    });
  }
  return false;
}

void Server::tell_where() const {
  for (const auto& door : doors_) {
    for (const net::Endpoint& endpoint : door->server->endpoints(door->number)) {
      log_.info("listening", {{"door", door->name}, {"address", to_text(endpoint)}, {"tls", door->tls}});
    }
  }
}

void Server::reload() {
  if (source_ != nullptr) source_->poke();
  if (identity_ != nullptr) reload_certificate();
}

void Server::look_around() {
  service_->tell(log_);
  if (identity_ == nullptr) return;
  const net::TlsFiles& files = identity_->files();
  const std::vector<rules::FileIdentity> there = {rules::FileIdentity::of(files.certificate),
                                                  rules::FileIdentity::of(files.key)};
  if (there == certificate_seen_) return;
  const bool is_first = certificate_seen_.empty();
  certificate_seen_ = there;
  if (!is_first) reload_certificate();
}

void Server::reload_certificate() {
  const std::string why = identity_->reload();
  if (why.empty()) {
    log_.info("certificate in force", {{"file", identity_->files().certificate}});
  } else {
    log_.error(why, {{"kept", "the last good certificate"}});
  }
}

bool Server::stop() {
  const int64_t patience_ms = settings_.drain_timeout.count();
  service_->show_draining();
  const bool all_ended = loops_->drain(patience_ms);
  aside_->drain(std::min<int64_t>(patience_ms, 1000));
  service_->give_back();
  // Whoever looks after buckets asks the loops.
  aside_->stop();
  loops_->stop();
  service_->finish(kToWriteDown);
  service_->tell(log_);
  return all_ended;
}

}  // namespace sluice::cli
