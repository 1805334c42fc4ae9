#include "rules/anchors.h"

#include <algorithm>

namespace sluice::rules {
namespace {

AnchorKey key_of(const Probe& probe, std::string_view answer) {
  return {probe, hash_answer(probe.seed(), answer), answer.size()};
}

uint32_t count(std::string_view text, char c) { return static_cast<uint32_t>(std::count(text.begin(), text.end(), c)); }

Anchor anchor_of_values(SourceId source, const std::vector<std::string>& values) {
  Anchor anchor;
  for (const std::string& value : values) anchor.push_back(key_of({source, Probe::Kind::kWhole, 0}, value));
  return anchor;
}

// Nothing where one of them is empty: it fits every value.
Anchor anchor_of_prefixes(SourceId source, const std::vector<std::string>& prefixes) {
  Anchor anchor;
  for (const std::string& prefix : prefixes) {
    if (prefix.empty()) return {};
    anchor.push_back(key_of({source, Probe::Kind::kPrefix, static_cast<uint32_t>(prefix.size())}, prefix));
  }
  return anchor;
}

Anchor anchor_of_networks(const std::vector<Network>& networks) {
  Anchor anchor;
  for (const Network& network : networks) {
    const auto kind = network.address.is_v6 ? Probe::Kind::kNetworkV6 : Probe::Kind::kNetworkV4;
    anchor.push_back(key_of({kAddressSource, kind, static_cast<uint32_t>(network.bits)}, answer_of(network.address)));
  }
  return anchor;
}

Anchor anchor_of_hosts(const std::vector<HostPattern>& hosts) {
  Anchor anchor;
  for (const HostPattern& host : hosts) {
    const Probe probe = host.is_wildcard ? Probe{kHostSource, Probe::Kind::kHostSuffix, count(host.name, '.') + 1}
                                         : Probe{kHostSource, Probe::Kind::kWhole, 0};
    anchor.push_back(key_of(probe, host.name));
  }
  return anchor;
}

Anchor anchor_of_condition(const Condition& condition, SourceTable& sources) {
  if (!condition.networks.empty()) return anchor_of_networks(condition.networks);
  const SourceId source = sources.add(condition.source);
  return condition.prefixes.empty() ? anchor_of_values(source, condition.values)
                                    : anchor_of_prefixes(source, condition.prefixes);
}

Anchor without_doubles(Anchor anchor) {
  std::sort(anchor.begin(), anchor.end(), [](const AnchorKey& a, const AnchorKey& b) { return a.hash < b.hash; });
  const auto is_same = [](const AnchorKey& a, const AnchorKey& b) { return a.hash == b.hash; };
  anchor.erase(std::unique(anchor.begin(), anchor.end(), is_same), anchor.end());
  return anchor;
}

}  // namespace

uint64_t Probe::seed() const {
  const uint64_t all = uint64_t{source} << 40 ^ uint64_t { static_cast<uint8_t>(kind) } << 32 ^ length;
  return hashing::mix(all + 1, 0xa0761d6478bd642f);
}

Anchor anchor_of_presence(SourceId source) { return {key_of({source, Probe::Kind::kPresent, 0}, kPresent)}; }

std::vector<Anchor> anchors_of(const Selector& selector, const std::vector<const Condition*>& conditions,
                               SourceTable& sources) {
  std::vector<Anchor> anchors;
  const auto add = [&](Anchor anchor) {
    if (!anchor.empty()) anchors.push_back(without_doubles(std::move(anchor)));
  };
  if (selector.path) add(anchor_of_values(kPathSource, {*selector.path}));
  if (selector.path_prefix && *selector.path_prefix != "/") {
    const Probe probe{kPathSource, Probe::Kind::kPathPrefix, count(*selector.path_prefix, '/')};
    add({key_of(probe, *selector.path_prefix)});
  }
  add(anchor_of_hosts(selector.hosts));
  for (const Condition* condition : conditions) add(anchor_of_condition(*condition, sources));
  add(anchor_of_values(kMethodSource, selector.methods));
  return anchors;
}

}  // namespace sluice::rules
