// The table of settings: every one there is, those of one section side by side.
#pragma once

#include <span>
#include <string_view>

#include "config/spec.h"

namespace sluice::config {

std::span<const Spec> table();

// What sections are for, in a line: "http" -> "The HTTP door".
std::string_view section_help(std::string_view section);

// nullptr if there is none of this name.
const Spec* find_setting(std::string_view name);

// Where `spec` stands in the table.
size_t index_of(const Spec& spec);

}  // namespace sluice::config
