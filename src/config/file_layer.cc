#include <utility>

#include "config/layers.h"
#include "config/table.h"
#include "documents/wording.h"

namespace sluice::config {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;
using documents::Position;
using documents::quote;

constexpr size_t kMostFaults = 1'000;

bool is_section(std::string_view name) {
  for (const Spec& spec : table()) {
    if (!name.empty() && spec.section() == name) return true;
  }
  return false;
}

// "a path", "true or false": what a value of the file must be, before its text is looked at.
std::string expected_kind(Type type) {
  switch (type) {
    case Type::kBoolean: return "true or false";
    case Type::kInteger: return "a number";
    case Type::kBytes: return "a number, or a string such as 64KiB";
    case Type::kDuration: return "a string such as 75s";
    case Type::kAddresses:
    case Type::kSecrets: return "a string or a list of strings";
    default: return "a string";
  }
}

bool fits(Type type, Kind kind) {
  switch (type) {
    case Type::kBoolean: return kind == Kind::kBool;
    case Type::kInteger: return kind == Kind::kNumber;
    case Type::kBytes:
    case Type::kDuration: return kind == Kind::kNumber || kind == Kind::kString;
    default: return kind == Kind::kString;
  }
}

class FileReader {
 public:
  explicit FileReader(const std::string& file) : file_(file), folder_(std::filesystem::path(file).parent_path()) {}

  Reading read(const Node& root) {
    // A file of comments alone says nothing, which is allowed.
    if (root.kind == Kind::kNull) return std::move(reading_);
    if (root.kind != Kind::kObject) {
      fail(root.position, "settings must be an object, but are " + documents::found(root), "write http: {listen: ...}");
      return std::move(reading_);
    }
    for (const Member& member : root.members) read_member(member, "");
    if (left_out_ > 0) {
      reading_.entries.emplace_back(
          Fault{file_, "and " + std::to_string(left_out_) + " more members, which were not looked at", ""});
    }
    return std::move(reading_);
  }

 private:
  void read_member(const Member& member, const std::string& prefix) {
    // A hostile file fills neither the memory with words nor the time with looking for them.
    if (faults_ >= kMostFaults) {
      ++left_out_;
      return;
    }
    const std::string name = prefix + member.name;
    if (prefix.empty() && is_section(name)) return read_section(member);
    const bool has_dot = member.name.find('.') != member.name.npos;
    const Spelling* spelling = has_dot ? nullptr : find_spelling(file_spellings(), name);
    if (spelling == nullptr) return fail(member.position, "there is no setting " + quote(name), hint_for(name));
    read_value(*spelling, member);
  }

  void read_section(const Member& section) {
    if (section.value.kind == Kind::kNull) return;
    if (section.value.kind != Kind::kObject) {
      return fail(section.value.position,
                  section.name + " must be an object, but is " + documents::found(section.value),
                  "its settings stand within it, such as " + first_of(section.name));
    }
    for (const Member& member : section.value.members) read_member(member, section.name + ".");
  }

  void read_value(const Spelling& spelling, const Member& member) {
    const Node& node = member.value;
    const Type type = spelling.is_secret_file ? Type::kPath : spelling.spec->type();
    const bool is_list = type == Type::kAddresses || type == Type::kSecrets;
    if (is_list && node.kind == Kind::kList) return read_list(spelling, node);
    if (fits(type, node.kind)) return add(spelling, node.position, node.text);
    const bool hides = type == Type::kSecret || type == Type::kSecrets;
    fail(node.position,
         spelling.name + " must be " + expected_kind(type) + ", but is " +
             (hides ? documents::name_of(node.kind) : documents::found(node)),
         node.kind == Kind::kNull                                 ? "leave it out, or fill it"
         : node.kind == Kind::kNumber || node.kind == Kind::kBool ? "put it in quotes"
                                                                  : "");
  }

  void read_list(const Spelling& spelling, const Node& list) {
    std::string joined;
    for (const Node& item : list.items) {
      if (item.kind != Kind::kString) {
        return fail(item.position,
                    "each of " + spelling.name + " must be a string, but is " +
                        (spelling.spec->is_secret() ? documents::name_of(item.kind) : documents::found(item)),
                    "");
      }
      if (!joined.empty()) joined += ',';
      joined += item.text;
    }
    if (list.items.empty()) {
      return fail(list.position, spelling.name + " must not be empty",
                  spelling.spec->is_secret() ? "leave it out" : "write off");
    }
    add(spelling, list.position, std::move(joined));
  }

  std::string hint_for(const std::string& name) const {
    if (find_spelling(file_spellings(), name) != nullptr) {
      return "write " + name.substr(name.find('.') + 1) + " within " + name.substr(0, name.find('.'));
    }
    const Spec* spec = find_setting(name);
    if (spec != nullptr && !spec->in_file) return "give it as " + spec->flag() + ", or as " + spec->variable();
    return hint_for_unknown(file_spellings(), name, "'sluice serve --print-config' shows them all");
  }

  static std::string first_of(std::string_view section) {
    for (const Spec& spec : table()) {
      if (spec.section() == section) return std::string(spec.name.substr(section.size() + 1));
    }
    return "";
  }

  std::string where(Position position) const {
    return file_ + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
  }

  void add(const Spelling& spelling, Position position, std::string text) {
    reading_.entries.emplace_back(
        Given{spelling.spec, spelling.is_secret_file, std::move(text), where(position), folder_});
  }

  void fail(Position position, std::string message, std::string hint) {
    ++faults_;
    reading_.entries.emplace_back(Fault{where(position), std::move(message), std::move(hint)});
  }

  const std::string& file_;
  std::filesystem::path folder_;
  Reading reading_;
  size_t faults_ = 0;
  size_t left_out_ = 0;
};

}  // namespace

Reading read_settings_text(std::string_view text, const std::string& file, documents::Format format) {
  const auto parsed = documents::read_document(text, format);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    Reading reading;
    const Position at = fault->position;
    reading.entries.emplace_back(
        Fault{file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column), fault->message, ""});
    return reading;
  }
  return FileReader(file).read(std::get<Node>(parsed));
}

Reading read_settings_file(const std::filesystem::path& path) {
  constexpr size_t kLargestFile = 1 << 20;
  const auto content = documents::read_file(path, kLargestFile);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
    Reading reading;
    reading.entries.emplace_back(Fault{path.string(), "the file cannot be read: " + unreadable->why, ""});
    return reading;
  }
  const auto& text = std::get<std::string>(content);
  return read_settings_text(text, path.string(), documents::guess_format(path.string(), text));
}

}  // namespace sluice::config
