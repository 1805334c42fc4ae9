// Where settings are written: flags, environment, file. Each is read into the same list, and judged later.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/fault.h"
#include "config/spec.h"
#include "documents/read_file.h"

namespace sluice::config {

enum class Layer : uint8_t { kDefault, kFile, kEnvironment, kFlag };

// One value as it was written.
struct Given {
  const Spec* spec = nullptr;
  bool is_secret_file = false;  // `text` is the path of a file that holds the secret
  std::string text;
  std::string where;
  std::filesystem::path folder = {};  // that relative paths start from
};

// What the person behind the command line wants.
enum class Wish : uint8_t { kServe, kHelp, kPrintConfig };

struct Reading {
  std::vector<std::variant<Given, Fault>> entries;  // in the order of the text
  Wish wish = Wish::kServe;                         // of flags
};

// The arguments behind `sluice serve`.
Reading read_flags(std::span<const std::string> arguments);
// `NAME=value` each; those that do not begin with SLUICE_ are left alone.
Reading read_environment(std::span<const std::string> environment);
// `file` is its name in faults.
Reading read_settings_text(std::string_view text, const std::string& file, documents::Format format);
Reading read_settings_file(const std::filesystem::path& path);

// A name that a setting is known by in a layer: secrets have two.
struct Spelling {
  std::string name;
  const Spec* spec = nullptr;
  bool is_secret_file = false;
};

// By flag, by variable, by name in the file.
std::span<const Spelling> flag_spellings();
std::span<const Spelling> variable_spellings();
std::span<const Spelling> file_spellings();

const Spelling* find_spelling(std::span<const Spelling> spellings, std::string_view name);
// "did you mean '--http-listen'?", or `otherwise`.
std::string hint_for_unknown(std::span<const Spelling> spellings, std::string_view name, std::string otherwise);

}  // namespace sluice::config
