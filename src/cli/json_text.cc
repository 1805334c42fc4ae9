#include "cli/json_text.h"

#include <fmt/format.h>

#include "documents/wording.h"

namespace sluice::cli {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& value) {
  if (value.is_string()) return documents::printable(value.get<std::string>());
  return value.is_number_float() ? fmt::format("{:g}", value.get<double>()) : value.dump();
}

std::string field(const ordered_json& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() || found->is_null() ? "" : text_of(*found);
}

}  // namespace sluice::cli
