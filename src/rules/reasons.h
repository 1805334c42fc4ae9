// Why a selector or a condition does not hold, in words. Slow, linear, and made from the rules as they were written.
#pragma once

#include <optional>
#include <string>

#include "rules/model.h"
#include "rules/reader.h"

namespace sluice::rules {

// REQUIRES, of both: the source table of the reader's plan has all sources. Nothing where it holds.
std::optional<std::string> why_not(const Selector& selector, Reader& reader);
std::optional<std::string> why_not(const Condition& condition, SourceId source, Reader& reader);

// What a condition that holds was about: "jwt:plan is 'free'".
std::string fact_of(const Condition& condition, SourceId source, Reader& reader);

// In quotes, shortened, and with nothing that a terminal would obey.
std::string quoted(std::string_view value);

}  // namespace sluice::rules
