#include "rules/reasons.h"

#include <algorithm>

#include "rules/path.h"

namespace sluice::rules {
namespace {

constexpr size_t kLongestQuote = 60;
constexpr size_t kMostListed = 5;

template <class Items, class Text>
std::string listed(const Items& items, const Text& text) {
  std::string list;
  for (size_t i = 0; i < std::min(items.size(), kMostListed); ++i) list += (i > 0 ? ", " : "") + text(items[i]);
  if (items.size() > kMostListed) list += " and " + std::to_string(items.size() - kMostListed) + " more";
  return list;
}

std::string one_of(const std::vector<std::string>& values) { return values.size() == 1 ? "" : "one of "; }

std::string text_of(const HostPattern& pattern) { return (pattern.is_wildcard ? "*." : "") + pattern.name; }

bool fits(const HostPattern& pattern, std::string_view host) {
  if (!pattern.is_wildcard) return host == pattern.name;
  return host.size() > pattern.name.size() + 1 && host.ends_with("." + pattern.name);
}

bool fits_any_host(const Selector& selector, std::string_view host) {
  return !host.empty() && std::any_of(selector.hosts.begin(), selector.hosts.end(),
                                      [&](const HostPattern& pattern) { return fits(pattern, host); });
}

std::optional<std::string> why_no_network(const Condition& condition, Reader& reader) {
  const auto& address = reader.client().address;
  if (!address) return "the address of the client is unknown";
  for (const Network& network : condition.networks) {
    if (network.contains(*address)) return std::nullopt;
  }
  return "address " + address->text() + " is not in " +
         listed(condition.networks, [](const Network& network) { return network.text(); });
}

}  // namespace

std::string quoted(std::string_view value) {
  std::string text = "'" + std::string(value.substr(0, kLongestQuote));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return text + (value.size() > kLongestQuote ? "...'" : "'");
}

std::optional<std::string> why_not(const Selector& selector, Reader& reader) {
  const std::string_view path = reader.path();
  if (selector.path && path != *selector.path) return "path " + quoted(path) + " is not " + quoted(*selector.path);
  if (selector.path_prefix && !covers_path(*selector.path_prefix, path)) {
    return "path " + quoted(path) + " is not below " + quoted(*selector.path_prefix);
  }
  const auto& methods = selector.methods;
  const std::string_view method = reader.value(kMethodSource);
  if (!methods.empty() && std::find(methods.begin(), methods.end(), method) == methods.end()) {
    return "method " + (method.empty() ? "(none)" : std::string(method.substr(0, kLongestQuote))) + " is not " +
           one_of(methods) + listed(methods, [](const std::string& each) { return each; });
  }
  const std::string_view host = reader.value(kHostSource);
  if (!selector.hosts.empty() && !fits_any_host(selector, host)) {
    return "host " + quoted(host) + " is none of " + listed(selector.hosts, text_of);
  }
  return std::nullopt;
}

std::optional<std::string> why_not(const Condition& condition, SourceId source, Reader& reader) {
  if (!condition.networks.empty()) return why_no_network(condition, reader);
  const std::string_view value = reader.value(source);
  if (value.empty()) return condition.source.text() + " has no value";
  const bool is_of_prefixes = !condition.prefixes.empty();
  const auto& texts = is_of_prefixes ? condition.prefixes : condition.values;
  const bool fits_any = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return is_of_prefixes ? value.starts_with(text) : value == text;
  });
  if (fits_any) return std::nullopt;
  return fact_of(condition, source, reader) + (is_of_prefixes ? ", which does not begin with " : ", not ") +
         one_of(texts) + listed(texts, quoted);
}

std::string fact_of(const Condition& condition, SourceId source, Reader& reader) {
  return condition.source.text() + " is " + quoted(reader.value(source));
}

}  // namespace sluice::rules
