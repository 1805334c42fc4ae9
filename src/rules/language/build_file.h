// From the trees of rules files to a RuleSet: first the table, then what fields mean together.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// A file as it was read.
struct Document {
  std::string name;  // key files are found relative to its folder
  documents::Node root;
};

// One file, or several that make up one set of rules: policies, rules and lists are joined in the order of the
// documents; what can hold only once stands in one of them. Whole only where no fault was added.
RuleSet build_files(std::span<const Document> documents, Faults& faults);
// What a file says beside policies and rules. REQUIRES: `root` is an object, with neither.
RuleSet build_top_level(const documents::Node& root, const std::filesystem::path& folder, const Path& path,
                        Faults& faults);

}  // namespace sluice::rules::language
