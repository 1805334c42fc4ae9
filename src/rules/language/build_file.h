// From the tree of a rules file to a RuleSet: first the table, then what fields mean together.
#pragma once

#include <filesystem>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// Whole only where no fault was added.
RuleSet build_file(const documents::Node& root, const std::filesystem::path& folder, Faults& faults);
// What a file says beside policies and rules. REQUIRES: `root` is an object, with neither.
RuleSet build_top_level(const documents::Node& root, const std::filesystem::path& folder, const Path& path,
                        Faults& faults);

}  // namespace sluice::rules::language
