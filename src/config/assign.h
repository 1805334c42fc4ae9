// From the text of a value to the member of Settings that it is for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/fault.h"
#include "config/spec.h"

namespace sluice::config {

// Nothing when it was assigned. A problem with a secret does not show it.
[[nodiscard]] std::optional<Problem> assign(const Spec& spec, std::string_view text, Settings& settings);

// "from 1KiB to 1MiB", in the words of the type; empty where there is no range.
std::string range_text(const Spec& spec);

}  // namespace sluice::config
