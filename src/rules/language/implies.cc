#include "rules/language/implies.h"

#include <algorithm>

namespace sluice::rules::language {
namespace {

// Lists may be long in both: the wide one is searched sorted when that pays.
constexpr size_t kFew = 8;

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool has_prefix_of(const Condition& wide, const std::string& text) {
  return std::any_of(wide.prefixes.begin(), wide.prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

bool has_all(const std::vector<std::string>& values, const Condition& wide) {
  if (values.size() <= kFew || wide.values.size() <= kFew) {
    return std::all_of(values.begin(), values.end(), [&](const std::string& value) {
      return contains(wide.values, value) || has_prefix_of(wide, value);
    });
  }
  std::vector<std::string> sorted = wide.values;
  std::sort(sorted.begin(), sorted.end());
  return std::all_of(values.begin(), values.end(), [&](const std::string& value) {
    return std::binary_search(sorted.begin(), sorted.end(), value) || has_prefix_of(wide, value);
  });
}

bool is_within(const Network& network, const Condition& wide) {
  return std::any_of(wide.networks.begin(), wide.networks.end(), [&](const Network& candidate) {
    return candidate.bits <= network.bits && candidate.contains(network.address);
  });
}

}  // namespace

bool implies(const Condition& narrow, const Condition& wide) {
  return has_all(narrow.values, wide) &&
         std::all_of(narrow.prefixes.begin(), narrow.prefixes.end(),
                     [&](const std::string& prefix) { return has_prefix_of(wide, prefix); }) &&
         std::all_of(narrow.networks.begin(), narrow.networks.end(),
                     [&](const Network& network) { return is_within(network, wide); });
}

}  // namespace sluice::rules::language
