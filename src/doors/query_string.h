// The query of a URI as fields: `a=1&b=x%20y+z`. Decodes percent and plus as browsers write them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::doors {

using QueryFields = std::vector<std::pair<std::string, std::string>>;

// Of what stands behind a `?`. Broken escapes stay as they are; a name alone has an empty value. Fields beyond
// `most_fields` are not read: no rule should depend on them.
QueryFields parse_query(std::string_view query, size_t most_fields = 1000);

}  // namespace sluice::doors
