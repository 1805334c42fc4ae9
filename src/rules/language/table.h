// The table of the rule language: every object and field there is.
#pragma once

#include <span>

#include "rules/language/spec.h"

namespace sluice::rules::language {

extern const ObjectSpec kFileSpec;
extern const ObjectSpec kPolicySpec;
extern const ObjectSpec kSelectorSpec;
extern const ObjectSpec kRuleSpec;
extern const ObjectSpec kLeaseSpec;
extern const ObjectSpec kTableRowSpec;
extern const ObjectSpec kAlgorithmConfigSpec;
extern const ObjectSpec kLimitSpec;
extern const ObjectSpec kConditionSpec;
extern const ObjectSpec kKillSwitchSpec;
extern const ObjectSpec kJwtSpec;
extern const ObjectSpec kJwtKeySpec;

// All of them, from the outermost in.
std::span<const ObjectSpec* const> all_specs();

}  // namespace sluice::rules::language
