// Replies of the Redis protocol as JSON, for tests. Knows every type that the door writes, of both versions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace sluice::resp_client {

// The first reply, which is taken off `bytes`; none if it is not whole or no reply at all. An error becomes
// {"error": "ERR ..."}. A bulk string that is no UTF-8 stays as it is.
std::optional<nlohmann::json> read_reply(std::string_view& bytes);

}  // namespace sluice::resp_client
