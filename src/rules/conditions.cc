#include "rules/conditions.h"

#include <algorithm>

#include "rules/path.h"

namespace sluice::rules {
namespace {

using Texts = std::vector<std::string_view>;

bool contains(const Texts& sorted, std::string_view text) {
  return std::binary_search(sorted.begin(), sorted.end(), text);
}

Texts sorted_texts(const std::vector<std::string>& texts) {
  Texts sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Only those that begin with no other one: then at most one of them fits a value, and it is the last that is not
// behind the value.
Texts sorted_prefixes(const std::vector<std::string>& prefixes) {
  Texts shortest;
  for (const std::string_view prefix : sorted_texts(prefixes)) {
    if (shortest.empty() || !prefix.starts_with(shortest.back())) shortest.push_back(prefix);
  }
  return shortest;
}

}  // namespace

PreparedCondition::PreparedCondition(const Condition& condition, SourceTable& sources)
    : source_(sources.add(condition.source)),
      is_of_addresses_(!condition.networks.empty()),
      is_one_value_(condition.values.size() == 1),
      is_of_prefixes_(!condition.prefixes.empty()),
      texts_(is_of_prefixes_ ? sorted_prefixes(condition.prefixes) : sorted_texts(condition.values)),
      networks_(condition.networks) {}

bool PreparedCondition::holds_for(std::string_view value) const {
  if (!is_of_prefixes_) return contains(texts_, value);
  const auto behind = std::upper_bound(texts_.begin(), texts_.end(), value);
  return behind != texts_.begin() && value.starts_with(*std::prev(behind));
}

bool PreparedCondition::holds_for_address(Reader& reader) const {
  const auto& address = reader.client().address;
  return address && networks_.contains(*address);
}

PreparedSelector::PreparedSelector(const Selector& selector) : selector_(&selector) {
  for (const HostPattern& host : selector.hosts) (host.is_wildcard ? wildcards_ : hosts_).push_back(host.name);
  std::sort(hosts_.begin(), hosts_.end());
  std::sort(wildcards_.begin(), wildcards_.end());
}

bool PreparedSelector::holds(Reader& reader) const {
  if (selector_->path && reader.path() != *selector_->path) return false;
  if (selector_->path_prefix && !covers_path(*selector_->path_prefix, reader.path())) return false;
  const auto& methods = selector_->methods;
  if (!methods.empty() && std::find(methods.begin(), methods.end(), reader.value(kMethodSource)) == methods.end()) {
    return false;
  }
  return selector_->hosts.empty() || holds_for_host(reader.value(kHostSource));
}

bool PreparedSelector::holds_for_host(std::string_view host) const {
  if (host.empty()) return false;
  if (contains(hosts_, host)) return true;
  if (wildcards_.empty()) return false;
  // What stands before the dot must not be empty.
  for (size_t dot = host.find('.', 1); dot != host.npos; dot = host.find('.', dot + 1)) {
    if (contains(wildcards_, host.substr(dot + 1))) return true;
  }
  return false;
}

std::string_view last_labels(std::string_view host, size_t labels) {
  size_t begin = host.size();
  for (; labels > 0; --labels) {
    begin = begin == 0 ? host.npos : host.rfind('.', begin - 1);
    if (begin == host.npos) return {};
  }
  return host.substr(begin + 1);
}

}  // namespace sluice::rules
