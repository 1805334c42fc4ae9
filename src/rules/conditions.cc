#include "rules/conditions.h"

#include <algorithm>

#include "rules/path.h"

namespace sluice::rules {
namespace {

using Views = std::vector<std::string_view>;

bool contains(Texts sorted, std::string_view text) { return std::binary_search(sorted.begin(), sorted.end(), text); }

Views sorted_texts(const std::vector<std::string>& texts) {
  Views sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Only those that begin with no other one: then at most one of them fits a value, and it is the last that is not
// behind the value.
Views sorted_prefixes(const std::vector<std::string>& prefixes) {
  Views shortest;
  for (const std::string_view prefix : sorted_texts(prefixes)) {
    if (shortest.empty() || !prefix.starts_with(shortest.back())) shortest.push_back(prefix);
  }
  return shortest;
}

}  // namespace

std::string_view TextMemory::keep(std::string_view text) {
  char* const kept = static_cast<char*>(memory_.allocate(text.size(), 1));
  return {kept, text.copy(kept, text.size())};
}

Texts TextMemory::keep_all(const std::vector<std::string_view>& texts) {
  const size_t bytes = texts.size() * sizeof(std::string_view);
  auto* const kept = static_cast<std::string_view*>(memory_.allocate(bytes, alignof(std::string_view)));
  std::uninitialized_default_construct_n(kept, texts.size());
  std::transform(texts.begin(), texts.end(), kept, [this](std::string_view text) { return keep(text); });
  return {kept, texts.size()};
}

PreparedCondition::PreparedCondition(const Condition& condition, SourceId source, TextMemory& texts)
    : source_(source), form_(Form::kValues) {
  if (condition.networks.size() == 1) {
    form_ = Form::kOneNetwork;
    one_network_ = condition.networks[0];
  } else if (!condition.networks.empty()) {
    form_ = Form::kNetworks;
    networks_ = std::make_unique<const NetworkSet>(condition.networks);
  } else if (!condition.prefixes.empty()) {
    form_ = Form::kPrefixes;
    texts_ = texts.keep_all(sorted_prefixes(condition.prefixes));
  } else if (condition.values.size() == 1) {
    form_ = Form::kOneValue;
    one_value_ = texts.keep(condition.values[0]);
  } else {
    texts_ = texts.keep_all(sorted_texts(condition.values));
  }
}

bool PreparedCondition::holds_for(std::string_view value) const {
  if (form_ == Form::kValues) return contains(texts_, value);
  const auto behind = std::upper_bound(texts_.begin(), texts_.end(), value);
  return behind != texts_.begin() && value.starts_with(*std::prev(behind));
}

bool PreparedCondition::holds_for_address(Reader& reader) const {
  const auto& address = reader.client().address;
  if (!address) return false;
  return form_ == Form::kOneNetwork ? one_network_.contains(*address) : networks_->contains(*address);
}

PreparedSelector::PreparedSelector(const Selector& selector, TextMemory& texts) {
  if (selector.path) path_ = texts.keep(*selector.path);
  if (selector.path_prefix) prefix_ = texts.keep(*selector.path_prefix);
  const bool has_one_host =
      selector.hosts.size() == 1 && !selector.hosts[0].is_wildcard && !selector.hosts[0].name.empty();
  if (has_one_host) one_host_ = texts.keep(selector.hosts[0].name);
  if (selector.methods.empty() && (selector.hosts.empty() || has_one_host)) return;
  Views hosts;
  Views wildcards;
  for (const HostPattern& host : selector.hosts) (host.is_wildcard ? wildcards : hosts).push_back(host.name);
  std::sort(hosts.begin(), hosts.end());
  std::sort(wildcards.begin(), wildcards.end());
  const Views methods(selector.methods.begin(), selector.methods.end());
  many_ = std::make_unique<const Many>(Many{texts.keep_all(methods), texts.keep_all(hosts), texts.keep_all(wildcards)});
}

bool PreparedSelector::holds(Reader& reader) const {
  if (!path_.empty() && reader.path() != path_) return false;
  if (!prefix_.empty() && !covers_path(prefix_, reader.path())) return false;
  if (!one_host_.empty() && reader.value(kHostSource) != one_host_) return false;
  return many_ == nullptr || holds_for_many(reader);
}

bool PreparedSelector::holds_for_many(Reader& reader) const {
  const auto& [methods, hosts, wildcards] = *many_;
  const auto is_method = [&](std::string_view method) { return method == reader.value(kMethodSource); };
  if (!methods.empty() && std::none_of(methods.begin(), methods.end(), is_method)) return false;
  if (hosts.empty() && wildcards.empty()) return true;
  const std::string_view host = reader.value(kHostSource);
  if (host.empty()) return false;
  if (contains(hosts, host)) return true;
  // What stands before the dot must not be empty.
  for (size_t dot = host.find('.', 1); dot != host.npos; dot = host.find('.', dot + 1)) {
    if (contains(wildcards, host.substr(dot + 1))) return true;
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
