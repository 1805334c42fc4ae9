// Small files as strings, and strings as trees.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "documents/document.h"

namespace sluice::documents {

struct Unreadable {
  std::string why;  // "No such file or directory"

  friend bool operator==(const Unreadable&, const Unreadable&) = default;
};

// Only regular files (nothing that could block or never end) of at most `most` bytes.
std::variant<std::string, Unreadable> read_file(const std::filesystem::path& path, size_t most);

// Editors put a line end behind a secret that is no part of it.
void drop_line_end(std::string& text);

enum class Format { kJson, kYaml };

// By the name's end: .json, .yaml or .yml; of any other name, JSON if the text begins with `{`, else YAML.
Format guess_format(const std::string& name, std::string_view text);

Parsed read_document(std::string_view text, Format format);

}  // namespace sluice::documents
