// Request paths in one spelling, so that no other spelling of a path gets around a rule.
//
// The normal form: begins with `/`; nothing from `?` or `#` on; no `//`, `.` or `..`; no slash at the end but that of
// the root. Percent-encoded are, with digits in upper case, the bytes that no URI may hold as they are (controls,
// blanks, all beyond ASCII), a `%` that encodes nothing, and the reserved characters that came encoded; all others are
// plain. Normalizing a normal path changes nothing.
//
// Pure functions. Any bytes are a path.
#pragma once

#include <string>
#include <string_view>

namespace sluice::rules {

bool is_normal_path(std::string_view path);

// `path` itself where it is normal; else its normal form in `memory`, of at most three times its length.
// Of a target in absolute form (http://host/path) the path counts.
std::string_view normalize_path(std::string_view path, std::string& memory);

// Whether `path` is `prefix` or below it: /v1 covers /v1 and /v1/x, not /v1x; / covers all. REQUIRES: both are normal.
bool covers_path(std::string_view prefix, std::string_view path);

}  // namespace sluice::rules
