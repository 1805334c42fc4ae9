// The query of a URI as fields: `a=1&b=x%20y+z`. Decodes percent and plus as browsers write them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/request.h"

namespace sluice::doors {

using QueryFields = std::vector<std::pair<std::string, std::string>>;

// Of what stands behind a `?`. Broken escapes stay as they are; a name alone has an empty value. However many fields
// there are, all are read: one that is not could not be limited by. Doors bound the bytes.
QueryFields parse_query(std::string_view query);

// The same for one query after another: keeps its memory. What it returns is valid until it reads again.
class QueryReader {
 public:
  std::span<const rules::Field> read(std::string_view query);

 private:
  std::string decoded_;
  std::vector<rules::Field> fields_;
};

// A part of a path: as a query, but a plus is a plus.
std::string decode_path(std::string_view text);

}  // namespace sluice::doors
