#include "rules/language/load.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "documents/read_file.h"
#include "rules/language/build_file.h"
#include "rules/language/faults.h"

namespace sluice::rules {
namespace {

using language::Faults;

Loaded refused(const std::string& file, documents::Position position, std::string message) {
  return {nullptr, {Fault{file, position.line, position.column, "", language::printable(std::move(message)), ""}}};
}

}  // namespace

Loaded load_text(std::string_view text, const std::string& name, Format format) {
  const auto parsed = documents::read_document(text, format);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return refused(name, fault->position, fault->message);
  }
  Faults faults(name);
  RuleSet rules =
      language::build_file(std::get<documents::Node>(parsed), std::filesystem::path(name).parent_path(), faults);
  if (faults.empty()) return {std::make_shared<const RuleSet>(std::move(rules)), {}};
  return {nullptr, faults.take()};
}

Loaded load_file(const std::string& path) {
  const auto content = documents::read_file(path, documents::Bounds().bytes);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
    return {nullptr, {Fault{path, 0, 0, "", "the file cannot be read: " + unreadable->why, ""}}};
  }
  const auto& text = std::get<std::string>(content);
  return load_text(text, path, guess_format(path, text));
}

}  // namespace sluice::rules
