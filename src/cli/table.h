// A table of text: the first column to the left, the others to the right, each as wide as it must be.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace sluice::cli {

// Headings may have two lines, split at a newline. Every row has as many cells as there are headings. ASCII only.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

// Where the style is too narrow for a row, its first cell gets a line of its own.
std::string render_table(const Table& table, const Style& style);

}  // namespace sluice::cli
