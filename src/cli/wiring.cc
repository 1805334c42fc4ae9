#include "cli/wiring.h"

#include <vector>

#include "doors/desk.h"
#include "doors/http/public_door.h"
#include "doors/resp/session.h"
#include "rules/jwt/verified_claims.h"
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

doors::Access access_for(const config::Secret& token) {
  return token.empty() ? doors::Access() : doors::Access(token.reveal());
}

class MemoryService final : public Service {
 public:
  MemoryService(std::unique_ptr<MemoryStore> store, const config::Settings& settings, size_t loops)
      : settings_(settings), engine_(std::move(store)) {
    for (size_t i = 0; i < loops; ++i) desks_.push_back(std::make_unique<doors::Desk>(engine_.limiter(), time_));
  }

  limiter::Limiter& limiter() override { return engine_.limiter(); }

  std::unique_ptr<net::SessionMaker> http(size_t loop) override {
    doors::http::PublicSettings http;
    http.limits.header_bytes = settings_.http.max_header_bytes.count;
    http.limits.body_bytes = settings_.http.max_body_bytes.count;
    http.decision.rejected_status = static_cast<int>(settings_.http.decision_status);
    http.most_items = static_cast<size_t>(settings_.http.max_batch);
    http.access = access_for(settings_.http.token);
    return std::make_unique<doors::http::PublicDoor>(*desks_[loop], http);
  }

  std::unique_ptr<net::SessionMaker> resp(size_t loop) override {
    doors::resp::Options resp;
    resp.access = access_for(settings_.resp.token);
    resp.limits.command = settings_.resp.max_command_bytes.count;
    resp.limits.arguments = static_cast<size_t>(settings_.resp.max_arguments);
    resp.first_client_id = loop + 1;
    resp.client_id_step = desks_.size();
    return std::make_unique<doors::resp::SessionMaker>(*desks_[loop], std::move(resp));
  }

  std::unique_ptr<net::SessionMaker> admin() override { return http(0); }

  void show_traffic(const std::string&, const net::Traffic&) override {}
  void show_rules(std::function<rules::Reloader::Status()>) override {}

 private:
  const config::Settings& settings_;
  MemoryEngine engine_;
  doors::SystemTime time_{system_clock()};
  std::vector<std::unique_ptr<doors::Desk>> desks_;
};

}  // namespace

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
