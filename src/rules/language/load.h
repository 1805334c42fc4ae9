// From text to rules: JSON or YAML, strict, with every fault of a file, or of a folder of files, told in one run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "documents/read_file.h"
#include "rules/model.h"

namespace sluice::rules {

// One thing that is wrong: where, what was found, what was expected, and what to do.
struct Fault {
  std::string file;
  int line = 0;  // from 1; 0 where no line is to blame (a file that cannot be read)
  int column = 0;
  std::string field;    // "policies[0].rules[2].algorithm_config.burst"
  std::string message;  // "burst must be greater than 0, but is 0"
  std::string hint;     // may be empty
  int64_t row_id = 0;   // of rate_limit_rule, where that is to blame; lines are then those of its definition
};

// "rules.json:14:9: policies[0].rules[2].algorithm_config.burst: burst must be ..., but is 0\n  hint: ..."
std::string describe(const Fault& fault);

// What files say that was checked, and has no effect.
struct LeftOut {
  std::vector<std::string> policies;  // that are not active
  std::vector<std::string> rules;     // that are not active, in policies that are: "public-api/free"
  size_t kill_switches = 0;           // of policies in shadow
};

struct Loaded {
  std::shared_ptr<const RuleSet> rules;  // nullptr when there are faults
  std::vector<Fault> faults;             // in the order of the file, the files or the table
  LeftOut left_out = {};                 // of files; of a table it is not told
};

using documents::Format;
using documents::guess_format;

// Key files that the text names are read relative to the folder of `name`.
Loaded load_text(std::string_view text, const std::string& name, Format format);
// In the format that guess_format() finds. Of a folder: all files that rules_files_at() finds, as one set of rules.
Loaded load_file(const std::string& path);

}  // namespace sluice::rules
