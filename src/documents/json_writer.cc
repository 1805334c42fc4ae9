#include "documents/json_writer.h"

#include <utility>

#include "documents/json_escape.h"

namespace sluice::documents {
namespace {

constexpr size_t kWidth = 100;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  return out + '"';
}

class Writer {
 public:
  std::string on_one_line(const Node& node) {
    if (node.kind == Kind::kList)
      return joined(node.items, '[', ']', [&](const Node& item) { return on_one_line(item); });
    if (node.kind == Kind::kObject) {
      return joined(node.members, '{', '}',
                    [&](const Member& member) { return quoted(member.name) + ": " + on_one_line(member.value); });
    }
    return scalar(node);
  }

  // What is short stands on one line; all else has a line for each part.
  void write(const Node& node, size_t indent, std::string& out) {
    const bool is_nested = node.kind == Kind::kList || node.kind == Kind::kObject;
    const std::string line = is_nested ? on_one_line(node) : scalar(node);
    if (!is_nested || line.size() + indent <= kWidth) {
      out += line;
      return;
    }
    const bool is_list = node.kind == Kind::kList;
    out += is_list ? "[\n" : "{\n";
    const size_t parts = is_list ? node.items.size() : node.members.size();
    for (size_t i = 0; i < parts; ++i) {
      out.append(indent + 2, ' ');
      if (!is_list) out += quoted(node.members[i].name) + ": ";
      write(is_list ? node.items[i] : node.members[i].value, indent + 2, out);
      out += i + 1 < parts ? ",\n" : "\n";
    }
    out.append(indent, ' ');
    out += is_list ? ']' : '}';
  }

 private:
  static std::string scalar(const Node& node) {
    if (node.kind == Kind::kString) return quoted(node.text);
    if (node.kind == Kind::kBool) return node.boolean ? "true" : "false";
    return node.kind == Kind::kNumber ? node.text : "null";
  }

  template <class Parts, class Write>
  static std::string joined(const Parts& parts, char open, char close, const Write& write) {
    std::string line(1, open);
    for (const auto& part : parts) {
      if (line.size() > 1) line += ", ";
      line += write(part);
    }
    return line + close;
  }
};

}  // namespace

std::string write_json(const Node& node) {
  std::string out;
  Writer().write(node, 0, out);
  return out + "\n";
}

Node string_node(std::string_view text) {
  Node node;
  node.kind = Kind::kString;
  node.text = text;
  return node;
}

Node number_node(std::string_view text) {
  Node node;
  node.kind = Kind::kNumber;
  node.text = text;
  return node;
}

Node bool_node(bool boolean) {
  Node node;
  node.kind = Kind::kBool;
  node.boolean = boolean;
  return node;
}

Node list_node(std::vector<Node> items) {
  Node node;
  node.kind = Kind::kList;
  node.items = std::move(items);
  return node;
}

Node object_node(std::vector<Member> members) {
  Node node;
  node.kind = Kind::kObject;
  node.members = std::move(members);
  return node;
}

}  // namespace sluice::documents
