// What commands read: a file, or stdin for `-`.
#pragma once

#include <string>
#include <variant>

#include "cli/output.h"

namespace sluice::cli {

struct Input {
  std::string name;  // "<stdin>" or the path
  std::string text;
};

// Stops reading stdin when the language would refuse the rest anyway.
std::string read_stdin();

std::variant<Input, Failure> read_input(const std::string& file);

}  // namespace sluice::cli
