// The RESP door as a home of the rule engine.
#pragma once

#include <memory>

#include "rule_scenario/rule_home.h"

namespace sluice::scenario {

// How requests are written.
enum class RespForm : uint8_t {
  kJson,   // SLUICE.CHECK {...}, in RESP3
  kWords,  // SLUICE.CHECK METHOD GET PATH /, in RESP2
};

std::unique_ptr<RuleHome> make_resp_rule_home(RespForm form);

}  // namespace sluice::scenario
