// Base64url (RFC 4648, section 5) as tokens use it: no padding, no white space, and one spelling for every content.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::rules::jwt {

// Nothing for what is not base64url, or has bits set behind its last byte: those would be a second spelling.
std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace sluice::rules::jwt
