#include "rules/language/load.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "documents/json_reader.h"
#include "documents/yaml_reader.h"
#include "rules/language/build_file.h"
#include "rules/language/faults.h"
#include "rules/language/read_file.h"

namespace sluice::rules {
namespace {

using language::Faults;

Loaded refused(const std::string& file, documents::Position position, std::string message) {
  return {nullptr, {Fault{file, position.line, position.column, "", language::printable(std::move(message)), ""}}};
}

}  // namespace

Loaded load_text(std::string_view text, const std::string& name, Format format) {
  const auto parsed = format == Format::kJson ? documents::read_json(text) : documents::read_yaml(text);
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
  const auto content = language::read_file(path, documents::Bounds().bytes);
  if (const auto* problem = std::get_if<language::Problem>(&content)) {
    return {nullptr, {Fault{path, 0, 0, "", "the file cannot be read: " + problem->message, ""}}};
  }
  const auto& text = std::get<std::string>(content);
  return load_text(text, path, guess_format(path, text));
}

Format guess_format(const std::string& name, std::string_view text) {
  const std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".json") return Format::kJson;
  if (extension == ".yaml" || extension == ".yml") return Format::kYaml;
  const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != text.npos && text[first] == '{' ? Format::kJson : Format::kYaml;
}

}  // namespace sluice::rules
