// A small file as a string.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>

#include "rules/language/faults.h"

namespace sluice::rules::language {

// Only regular files (nothing that could block or never end) of at most `most` bytes.
std::variant<std::string, Problem> read_file(const std::filesystem::path& path, size_t most);

}  // namespace sluice::rules::language
