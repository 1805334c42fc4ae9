#include <algorithm>

#include "config/assign.h"
#include "config/help.h"
#include "config/table.h"
#include "documents/json_writer.h"
#include "documents/wording.h"

namespace sluice::config {
namespace {

constexpr size_t kWidth = 110;

// As lines of a comment.
std::string comment(std::string_view text, const std::string& indent) {
  std::string out;
  std::string line = indent + "#";
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > kWidth) {
      out += line + "\n";
      line = indent + "#";
    }
    line += ' ';
    line += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

// Numbers and booleans as they are, all else in quotes if YAML could take it for something else.
std::string yaml_value(const Spec& spec, const std::string& text) {
  const Type type = spec.type();
  if (type == Type::kInteger || type == Type::kBoolean) return text;
  const bool starts_plain = !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || text[0] == '/');
  const bool is_plain = starts_plain && std::all_of(text.begin(), text.end(), [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '.' || c == '_' || c == '/' || c == '-';
                        });
  const bool is_word = text == "true" || text == "false" || text == "null";
  return is_plain && !is_word ? text : documents::write_json(documents::string_node(text));
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Relative to where the server was started, which the folder of the file need not be.
std::string with_whole_path(const Spec& spec, const std::string& text) {
  if (text.empty() || (spec.type() != Type::kPath && spec.type() != Type::kSource)) return text;
  std::error_code error;
  const auto folder = std::filesystem::current_path(error);
  if (error) return text;
  if (spec.type() == Type::kPath) return (folder / text).string();
  const auto source = parse_source(text);
  return std::holds_alternative<Source>(source) ? std::get<Source>(source).from(folder).text() : text;
}

std::string value_line(const Spec& spec, const Origin& origin) {
  const std::string_view section = spec.section();
  const std::string indent = section.empty() ? "" : "  ";
  const std::string key(section.empty() ? spec.name : spec.name.substr(section.size() + 1));
  const std::string from = origin.where.empty() ? "" : "  # from " + documents::printable(origin.where);
  if (spec.is_secret()) {
    const char* state = origin.layer == Layer::kDefault ? "not set" : "set, and not shown";
    return indent + "# " + key + ": " + state + from + "\n" + indent + "# " + key + "_file: PATH\n";
  }
  if (const std::string shown = without_password(origin.text); shown.find(":...@") != std::string::npos) {
    return indent + "# " + key + ": " + yaml_value(spec, shown) + "  # its password is not shown" + from + "\n";
  }
  // The default folder is the system's business: written down, it would no longer follow it.
  const bool is_open = origin.text.empty() || (spec.name == "data_dir" && origin.layer == Layer::kDefault);
  if (is_open) {
    const std::string text = origin.text.empty() ? value_name(spec) : trimmed(yaml_value(spec, origin.text));
    return indent + "# " + key + ": " + text + from + "\n";
  }
  return indent + key + ": " + trimmed(yaml_value(spec, with_whole_path(spec, origin.text))) + from + "\n";
}

}  // namespace

std::string annotated_config(const Loaded& loaded) {
  std::string text =
      "# Settings of `sluice serve`: all there are, with the values they have now.\n"
      "# Use it with `sluice serve --config FILE`; flags and SLUICE_ variables win over what stands here.\n";
  std::string_view section;
  for (const Spec& spec : table()) {
    if (!spec.in_file) continue;
    if (spec.section() != section) {
      section = spec.section();
      text += "\n# " + std::string(section_help(section)) + ".\n" + std::string(section) + ":\n";
    } else {
      text += "\n";
    }
    const std::string indent = section.empty() ? "" : "  ";
    std::string help = std::string(spec.help) + ".";
    if (const std::string range = range_text(spec); !range.empty()) help += " A value " + range + ".";
    text += comment(help, indent);
    if (!spec.note.empty()) text += comment(spec.note, indent);
    text += value_line(spec, loaded.origins[index_of(spec)]);
  }
  return text;
}

}  // namespace sluice::config
