// The rule engine as a home: every limit of a scenario is a rule, every take an attribute of the request.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "limiter/worker.h"
#include "scenario/home.h"
#include "stores/memory/memory_store.h"

namespace sluice::scenario {

class RulesHome : public Home {
 public:
  RulesHome();

  void define(const NamedLimit& limit) override;
  Answer take(std::span<const Take> takes, Instant now) override;
  Answer peek(std::span<const Take> takes, Instant now) override;
  void refund(std::span<const Take> takes, Instant now) override;

 private:
  Answer ask(std::span<const Take> takes, Instant now, stores::Action action);

  std::unique_ptr<memory::MemoryStore> store_;
  limiter::Limiter limiter_;
  limiter::Worker worker_;
  limiter::PlainCheck check_;
  std::map<std::string, Limit> limits_;
};

}  // namespace sluice::scenario
