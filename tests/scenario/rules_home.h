// The rule engine as a home: every limit of a scenario is a rule, every take an attribute of the request.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

 protected:
  virtual Answer ask(std::span<const Take> takes, Instant now, stores::Action action);

  // Of equal buckets a decision names the first: rules stand in the order in which a request lists its buckets.
  void order_as(std::span<const Take> takes);

  std::unique_ptr<memory::MemoryStore> store_;
  limiter::Limiter limiter_;

 private:
  void load();

  limiter::Worker worker_;
  limiter::PlainCheck check_;
  std::vector<NamedLimit> limits_;
};

}  // namespace sluice::scenario
