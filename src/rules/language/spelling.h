// The one spelling of paths, methods, hosts and networks, as the matcher compares them; or what is wrong with a text
// that has none.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "rules/address.h"
#include "rules/key_source.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

using Spelt = std::variant<std::string, Problem>;

// Normal (see path.h). Must begin with `/` and have no query.
Spelt spell_path(std::string_view text);
// In upper case.
Spelt spell_method(std::string_view text);
// In lower case; no port, no wildcard.
Spelt spell_host(std::string_view text);
// By what the values of this source are compared with; most are taken as they are. What could never be a value of it,
// such as the empty text, is a Problem.
Spelt spell_value(KeyKind kind, std::string_view text);
// The same for what values begin with. Of a path a slash at the end is kept: /v1/ is for what is below /v1.
Spelt spell_prefix(KeyKind kind, std::string_view text);

std::variant<HostPattern, Problem> parse_host_pattern(std::string_view text);
std::variant<Network, Problem> parse_network(std::string_view text);

}  // namespace sluice::rules::language
