// JSON and YAML as one tree whose nodes know where they stand. Plain values; what is not well formed is a SyntaxFault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::documents {

enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kList, kObject };

// "null", "a boolean", "a number", ...: as faults speak of it.
const char* name_of(Kind kind);

// Both from 1. Columns count characters, not bytes.
struct Position {
  int line = 1;
  int column = 1;

  friend bool operator==(const Position&, const Position&) = default;
};

struct Member;

struct Node {
  Kind kind = Kind::kNull;
  bool boolean = false;  // kBool
  Position position;
  double number = 0;            // kNumber; infinite beyond a double; YAML has .nan too
  std::string text;             // strings: their characters; other scalars: as they were written
  std::vector<Node> items;      // kList
  std::vector<Member> members;  // kObject: in the order of the text, with duplicates

  // The first member of this name, or nullptr.
  const Node* find(std::string_view name) const;
};

struct Member {
  std::string name;
  Position position;  // of the name
  Node value;
};

struct SyntaxFault {
  Position position;
  std::string message;  // what was expected, and what was found
};

using Parsed = std::variant<Node, SyntaxFault>;

// Nothing that is read can make the tree larger or deeper than this.
struct Bounds {
  size_t bytes = size_t{16} << 20;
  size_t nodes = 1'000'000;
  size_t depth = 64;
};

}  // namespace sluice::documents
