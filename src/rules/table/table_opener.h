// How whoever asks a table comes by a connection of its own.
#pragma once

#include <functional>
#include <memory>

#include "rules/table/rule_table.h"
#include "sql/outcome.h"

namespace sluice::rules {

// Makes a new connection, or says why there is none; bounded in time. Called by any thread.
using TableOpener = std::function<sql::Outcome<std::unique_ptr<RuleTable>>()>;

}  // namespace sluice::rules
