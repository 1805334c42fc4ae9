// A tree as JSON, for people to read: indented, in the order of the tree.
#pragma once

#include <string>

#include "documents/document.h"

namespace sluice::documents {

// Numbers are written as their text; a tree that is built by hand must give them one.
std::string write_json(const Node& node);

// For trees that are built by hand.
Node string_node(std::string_view text);
Node number_node(std::string_view text);
Node bool_node(bool boolean);
Node list_node(std::vector<Node> items);
Node object_node(std::vector<Member> members);

}  // namespace sluice::documents
