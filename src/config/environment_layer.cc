#include <algorithm>

#include "config/layers.h"
#include "documents/wording.h"

namespace sluice::config {
namespace {

constexpr std::string_view kPrefix = "SLUICE_";

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What stands behind the last `_PORT_`, `_PORT` or `_SERVICE_` tells.
bool is_port_detail(std::string_view text) {
  const size_t end = std::min(text.find('_'), text.size());
  if (!all_digits(text.substr(0, end))) return false;
  const std::string_view rest = text.substr(end);
  return rest.starts_with("_TCP") || rest.starts_with("_UDP") || rest.starts_with("_SCTP");
}

// Kubernetes tells every container of each Service: one that is called `sluice`, or `sluice-admin`, gives SLUICE_PORT,
// SLUICE_SERVICE_HOST, SLUICE_ADMIN_PORT_8090_TCP_ADDR. They are nobody's settings, and nobody's mistake.
bool is_from_kubernetes(std::string_view name, std::string_view value) {
  if (name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT")) return true;
  if (name.find("_SERVICE_PORT_") != name.npos) return true;
  if (name.ends_with("_PORT")) return value.find("://") != value.npos;
  const size_t port = name.find("_PORT_");
  return port != name.npos && is_port_detail(name.substr(port + 6));
}

}  // namespace

Reading read_environment(std::span<const std::string> environment) {
  Reading reading;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(kPrefix)) continue;
    const size_t equals = std::min(entry.find('='), entry.size());
    const std::string name = entry.substr(0, equals);
    std::string value = equals < entry.size() ? entry.substr(equals + 1) : "";
    if (const Spelling* spelling = find_spelling(variable_spellings(), name)) {
      reading.entries.emplace_back(Given{spelling->spec, spelling->is_secret_file, std::move(value), name});
    } else if (!is_from_kubernetes(name, value)) {
      reading.entries.emplace_back(
          Fault{documents::printable(name), "there is no setting of this name",
                hint_for_unknown(
                    variable_spellings(), name,
                    "unset it: variables that begin with SLUICE_ are settings; 'sluice serve --help' lists them")});
    }
  }
  return reading;
}

}  // namespace sluice::config
