// The engine put together for a program: which store, which way to verify tokens. wiring.cc alone knows the classes.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "limiter/limiter.h"
#include "rules/claims.h"
#include "rules/model.h"

namespace sluice::cli {

// A limiter on buckets in memory. Owns everything it needs.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual limiter::Limiter& limiter() = 0;
};

// With these rules in force. The text is why there is none: no memory.
std::variant<std::unique_ptr<Engine>, std::string> make_engine(std::shared_ptr<const rules::RuleSet> rules);

}  // namespace sluice::cli
