// YAML 1.2 with its core schema into a tree: `010` is ten, `yes` is a string, what is quoted is a string.
// One document; anchors, aliases, merge keys and tags are refused, since a rule should stand where it is read.
#pragma once

#include <string_view>

#include "documents/document.h"

namespace sluice::documents {

Parsed read_yaml(std::string_view text, const Bounds& bounds = {});

}  // namespace sluice::documents
