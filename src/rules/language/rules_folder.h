// What a path of rules stands for: a file, or a folder whose files are one set of rules. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "documents/read_file.h"

namespace sluice::rules {

// Whether a file of this name counts in a folder: it ends in .json, .yaml or .yml, and is not hidden.
bool is_rules_file(std::string_view name);

struct RulesFiles {
  bool is_folder = false;
  std::vector<std::string> paths;  // of a folder: in the order of their names; of anything else: itself
  std::string trouble;             // why a folder has none; else empty
};

// Folders within the folder do not count, nor do symlinks to folders.
RulesFiles rules_files_at(const std::string& path);

struct RulesText {
  std::string file;
  std::variant<std::string, documents::Unreadable> content;

  friend bool operator==(const RulesText&, const RulesText&) = default;
};

// What all files at the path say, as it was at one moment; or why there are none.
std::variant<std::vector<RulesText>, std::string> read_rules(const std::string& path);

}  // namespace sluice::rules
