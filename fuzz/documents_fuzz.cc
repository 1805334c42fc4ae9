// Any text, as JSON or as YAML by its first byte, is a tree within its bounds, or is refused at a place within it.
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "documents/yaml_reader.h"

namespace {

using namespace sluice::documents;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// How many nodes there are; each stands within the text, and none before its parent.
size_t check_tree(const Node& node, int lines, size_t depth, const Bounds& bounds) {
  const bool is_nested = node.kind == Kind::kList || node.kind == Kind::kObject;
  require(!is_nested || depth <= bounds.depth);
  require(node.position.line >= 1 && node.position.line <= lines && node.position.column >= 1);
  size_t nodes = 1;
  for (const Node& item : node.items) {
    require(item.position.line >= node.position.line);
    nodes += check_tree(item, lines, depth + 1, bounds);
  }
  for (const Member& member : node.members) {
    require(member.value.position.line >= member.position.line);
    nodes += check_tree(member.value, lines, depth + 1, bounds);
  }
  return nodes;
}

bool is_same(const Node& a, const Node& b) {
  const auto same_member = [](const Member& x, const Member& y) {
    return x.name == y.name && is_same(x.value, y.value);
  };
  return a.kind == b.kind && a.boolean == b.boolean && a.number == b.number && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_same) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_member);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool is_json = (data[0] & 1) == 0;
  const Bounds bounds{.bytes = 100'000, .nodes = 1'000, .depth = 32};
  const Parsed parsed = is_json ? read_json(text, bounds) : read_yaml(text, bounds);
  const int lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  if (const auto* fault = std::get_if<SyntaxFault>(&parsed)) {
    require(fault->position.line >= 1 && fault->position.line <= lines && !fault->message.empty());
    // The two that read JSON here never disagree.
    require(fault->message != "what follows here is no JSON");
    return 0;
  }
  const Node& root = std::get<Node>(parsed);
  require(check_tree(root, lines, 1, bounds) <= 2 * bounds.nodes);
  if (!is_json) return 0;
  const Parsed again = read_json(write_json(root));
  require(std::holds_alternative<Node>(again) && is_same(std::get<Node>(again), root));
  return 0;
}
