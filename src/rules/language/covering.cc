#include "rules/language/covering.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "rules/path.h"

namespace sluice::rules::language {
namespace {

using Texts = std::vector<std::string>;

bool is_empty(const Condition& condition) {
  return condition.values.empty() && condition.prefixes.empty() && condition.networks.empty();
}

// Leaves the region as it is where nothing is left: what contradicts the selector is told elsewhere.
void narrow(Region& region, const KeySource& source, const std::function<Condition(const Condition*)>& narrowed) {
  const auto own =
      std::find_if(region.begin(), region.end(), [&](const Condition& each) { return each.source == source; });
  Condition result = narrowed(own == region.end() ? nullptr : &*own);
  result.source = source;
  if (is_empty(result)) return;
  if (own == region.end()) {
    region.push_back(std::move(result));
  } else {
    *own = std::move(result);
  }
}

bool fits(const Condition* condition, const std::string& value) {
  if (condition == nullptr) return true;
  const auto begins = [&](const std::string& prefix) { return value.starts_with(prefix); };
  return std::find(condition->values.begin(), condition->values.end(), value) != condition->values.end() ||
         std::any_of(condition->prefixes.begin(), condition->prefixes.end(), begins);
}

// The value is one of these.
void narrow_to(Region& region, KeyKind kind, const Texts& values) {
  KeySource source;
  source.kind = kind;
  narrow(region, source, [&](const Condition* own) {
    Condition condition;
    for (const std::string& value : values) {
      if (fits(own, value)) condition.values.push_back(value);
    }
    return condition;
  });
}

// The path is `prefix` or below it, by whole segments.
void narrow_to_prefix(Region& region, const std::string& prefix) {
  KeySource source;
  source.kind = KeyKind::kPath;
  narrow(region, source, [&](const Condition* own) {
    Condition whole;
    if (prefix != "/") whole.values.push_back(prefix);
    whole.prefixes.push_back(prefix == "/" ? prefix : prefix + "/");
    if (own == nullptr) return whole;
    Condition condition;
    for (const std::string& value : own->values) {
      if (covers_path(prefix, value)) condition.values.push_back(value);
    }
    for (const std::string& each : own->prefixes) {
      if (prefix.starts_with(each)) return whole;
      if (covers_path(prefix, each)) condition.prefixes.push_back(each);
    }
    return condition;
  });
}

// Names below a wildcard are too many to tell; but there is one.
void narrow_to_any_host(Region& region) {
  KeySource source;
  source.kind = KeyKind::kHost;
  narrow(region, source, [&](const Condition* own) { return own == nullptr ? Condition{source, {}, {""}, {}} : *own; });
}

// The address behind the last of a network; nothing if there is none.
std::optional<Address> address_behind(const Network& network) {
  Address next = network.address;
  for (int bit = network.bits - 1; bit >= 0; --bit) {
    auto& byte = next.bytes[static_cast<size_t>(bit) / 8];
    const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
    byte ^= mask;
    if ((byte & mask) != 0) return next;
  }
  return std::nullopt;
}

// One address of every part of the network that the others tell apart: a part begins where one of them begins or ends.
// Where there are more than kMostCells, some are left out.
void add_parts(const Network& network, const Networks& others, Networks& parts) {
  const int bits = network.address.bits();
  parts.insert({network.address, bits});
  for (auto other = others.lower_bound(network); other != others.end() && network.contains(other->address); ++other) {
    if (parts.size() > kMostCells) return;
    parts.insert({other->address, bits});
    const auto behind = address_behind(*other);
    if (behind && network.contains(*behind)) parts.insert({*behind, bits});
  }
}

// What a condition consists of, each as a condition of its own.
std::vector<Condition> parts_of(const Condition& condition, const Networks& networks) {
  std::vector<Condition> parts;
  for (const auto& value : condition.values) parts.push_back({condition.source, {value}, {}, {}});
  // Longer prefixes never make up all of a shorter one, so a prefix is not cut.
  for (const auto& prefix : condition.prefixes) parts.push_back({condition.source, {}, {prefix}, {}});
  Networks addresses;
  for (const Network& network : condition.networks) add_parts(network, networks, addresses);
  for (const Network& address : addresses) parts.push_back({condition.source, {}, {}, {address}});
  return parts;
}

// All combinations of the parts of a region's conditions.
class Cells {
 public:
  Cells(const Region& region, const Networks& networks) {
    for (const Condition& condition : region) {
      parts_.push_back(parts_of(condition, networks));
      count_ = std::min(count_ * parts_.back().size(), kMostCells + 1);
      cell_.push_back(parts_.back().front());
    }
    at_.resize(parts_.size());
  }

  size_t count() const { return count_; }
  const Region& cell() const { return cell_; }

  // False behind the last.
  bool next() {
    for (size_t i = 0; i < parts_.size(); ++i) {
      at_[i] = (at_[i] + 1) % parts_[i].size();
      cell_[i] = parts_[i][at_[i]];
      if (at_[i] != 0) return true;
    }
    return false;
  }

 private:
  std::vector<std::vector<Condition>> parts_;
  std::vector<size_t> at_;
  Region cell_;
  size_t count_ = 1;
};

// Of each list the first: a cell, or what has one in it. Most tiers can be told to be needed by it.
Region corner_of(const Region& region) {
  Region corner;
  for (const Condition& condition : region) corner.push_back(parts_of(condition, {}).front());
  return corner;
}

}  // namespace

Region region_of(const Rule& rule, const Selector& selector) {
  Region region = rule.match;
  if (!selector.methods.empty()) narrow_to(region, KeyKind::kMethod, selector.methods);
  if (selector.path) narrow_to(region, KeyKind::kPath, {*selector.path});
  // There is a path in any case.
  if (!selector.path) narrow_to_prefix(region, selector.path_prefix.value_or("/"));
  Texts hosts;
  for (const HostPattern& host : selector.hosts) {
    if (host.is_wildcard) {
      narrow_to_any_host(region);
      return region;
    }
    hosts.push_back(host.name);
  }
  if (!hosts.empty()) narrow_to(region, KeyKind::kHost, hosts);
  return region;
}

bool ByAddress::operator()(const Network& a, const Network& b) const {
  return std::tie(a.address.is_v6, a.address.bytes, a.bits) < std::tie(b.address.is_v6, b.address.bytes, b.bits);
}

std::vector<size_t> cover(const Region& region, const Networks& networks, const FindTier& find, size_t& cells) {
  if (region.empty() || cells == 0) return {};
  --cells;
  if (!find(corner_of(region))) return {};
  Cells all(region, networks);
  if (all.count() > kMostCells) return {};
  std::set<size_t> tiers;
  do {
    if (cells == 0) return {};
    --cells;
    const auto tier = find(all.cell());
    if (!tier) return {};
    tiers.insert(*tier);
  } while (all.next());
  return {tiers.begin(), tiers.end()};
}

}  // namespace sluice::rules::language
