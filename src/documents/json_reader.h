// JSON (RFC 8259) into a tree. Strict: no comments, no trailing commas, nothing behind the value.
#pragma once

#include <string_view>

#include "documents/document.h"

namespace sluice::documents {

Parsed read_json(std::string_view text, const Bounds& bounds = {});

}  // namespace sluice::documents
