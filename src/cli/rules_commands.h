// What `sluice rules` can do: each a command of its own.
#pragma once

#include "cli/command.h"

namespace sluice::cli {

Setup rules_lint;
Setup rules_schema;
Setup rules_list;
Setup rules_add;
Setup rules_set;
Setup rules_remove;
Setup rules_import;
Setup rules_export;
Setup rules_history;

}  // namespace sluice::cli
