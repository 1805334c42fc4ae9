// The RESP door as a home: the rules of RulesHome, asked by SLUICE.CHECK.
#pragma once

#include "resp_client/client.h"
#include "scenario/rules_home.h"

namespace sluice::scenario {

class RespHome final : public RulesHome {
 public:
  RespHome();

  // Waits are told in whole milliseconds.
  Precision precision() const override { return {Tokens::micros(1), Duration::millis(1)}; }

 private:
  Answer ask(std::span<const Take> takes, Instant now, stores::Action action) override;

  resp_client::Client client_;
};

}  // namespace sluice::scenario
