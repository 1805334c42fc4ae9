#include "documents/json_reader.h"

#include <utility>

#include "documents/json_tape.h"
#include "documents/source_text.h"

namespace sluice::documents {
namespace {

// Offsets come in ascending order, which Positions likes.
void build(TapeValue value, Positions& positions, Node& node) {
  const TapeEntry& entry = value.entry();
  node.kind = entry.kind;
  node.boolean = entry.boolean;
  node.position = positions.at(entry.offset);
  node.number = entry.number;
  node.text = entry.text;
  value.each([&](TapeValue child) {
    if (entry.kind == Kind::kList) {
      build(child, positions, node.items.emplace_back());
    } else {
      Member& member = node.members.emplace_back();
      member.name = child.name();
      member.position = positions.at(child.entry().name_offset);
      build(child, positions, member.value);
    }
    return true;
  });
}

}  // namespace

Parsed read_json(std::string_view text, const Bounds& bounds) {
  JsonTape tape;
  if (auto fault = tape.read(text, bounds)) return *std::move(fault);
  Positions positions(tape.text());
  Node root;
  build(tape.root(), positions, root);
  return root;
}

}  // namespace sluice::documents
