#include "cli/wiring.h"

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

}  // namespace

std::variant<std::unique_ptr<Engine>, std::string> make_engine(std::shared_ptr<const rules::RuleSet> rules) {
  auto store = MemoryStore::create({});
  if (!store) return describe(store.error());
  auto engine = std::make_unique<MemoryEngine>(std::move(*store));
  engine->limiter().set_rules(std::move(rules));
  return engine;
}

}  // namespace sluice::cli
