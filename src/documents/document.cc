#include "documents/document.h"

#include <algorithm>

namespace sluice::documents {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "a boolean";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "a string";
    case Kind::kList: return "a list";
    case Kind::kObject: return "an object";
  }
  return "";
}

const Node* Node::find(std::string_view name) const {
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member& candidate) { return candidate.name == name; });
  return member == members.end() ? nullptr : &member->value;
}

}  // namespace sluice::documents
