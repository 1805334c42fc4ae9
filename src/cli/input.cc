#include "cli/input.h"

#include <cstdio>

#include "cli/command.h"
#include "documents/read_file.h"

namespace sluice::cli {

std::string read_stdin() {
  constexpr size_t kMost = (size_t{16} << 20) + 1;
  std::string text;
  char buffer[1 << 16];
  size_t length = 0;
  while (text.size() < kMost && (length = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0)
    text.append(buffer, length);
  return text;
}

std::variant<Input, Failure> read_input(const std::string& file) {
  if (file == "-") return Input{"<stdin>", read_stdin()};
  auto content = documents::read_file(file, documents::Bounds().bytes);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
    return Failure{file + ": the file cannot be read: " + unreadable->why, "", kBadUsage};
  }
  return Input{file, std::get<std::string>(std::move(content))};
}

}  // namespace sluice::cli
