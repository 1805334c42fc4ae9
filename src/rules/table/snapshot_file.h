// The last good rows of a table on disk, for a start while the database is away. JSON; only its owner may read it, for
// secrets of tokens may be in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "rules/table/row.h"

namespace sluice::rules {

// Whole or not at all, also when the machine stops meanwhile. Nothing, or why it was not written.
std::optional<std::string> write_snapshot_file(const std::filesystem::path& path, const std::string& table,
                                               const Snapshot& snapshot);

// Strict: what is not exactly as it was written, or is of another table, is refused. The text says why.
std::variant<Snapshot, std::string> read_snapshot_file(const std::filesystem::path& path, const std::string& table);

}  // namespace sluice::rules
