// The HTTP door as a home of rules: every step is a request to /v1/check, /v1/peek or /v1/refund.
#pragma once

#include <memory>

#include "rule_scenario/rule_home.h"

namespace sluice::scenario {

std::unique_ptr<RuleHome> make_http_rule_home();

}  // namespace sluice::scenario
