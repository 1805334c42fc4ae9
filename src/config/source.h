// Where rules or violations are kept, as settings write it: a file, or a database. Values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "config/fault.h"
#include "config/secret.h"

namespace sluice::config {

struct Source {
  enum class Kind : uint8_t { kNone, kFile, kSqlite, kPostgres };

  Kind kind = Kind::kNone;
  std::filesystem::path path;  // kFile (of rules: or a folder of them), kSqlite
  Secret url;                  // kPostgres: it may hold a password

  bool empty() const { return kind == Kind::kNone; }
  bool is_database() const { return kind == Kind::kSqlite || kind == Kind::kPostgres; }
  // As it was written, but for a password, which is "...".
  std::string text() const;
  // With a relative path taken from there.
  Source from(const std::filesystem::path& folder) const;
};

// `sqlite:FILE`, `postgres://...` (or `postgresql://...`), or the path of a file.
std::variant<Source, Problem> parse_source(std::string_view text);

// The database that is there when nothing else is said.
Source database_in(const std::filesystem::path& data_dir);

// An address with its password left out.
std::string without_password(std::string_view url);

}  // namespace sluice::config
