#include "rules/match_index.h"

#include <algorithm>
#include <map>

#include "rules/conditions.h"

namespace sluice::rules {
namespace {

// Asking for a claim means verifying the token of every request that brings one. Only where much is gained by it.
constexpr uint32_t kClaimPenalty = 64;

bool has_names(KeyKind kind) {
  return kind != KeyKind::kIp && kind != KeyKind::kPath && kind != KeyKind::kMethod && kind != KeyKind::kHost;
}

}  // namespace

MatchIndex::MatchIndex(const std::vector<std::vector<Anchor>>& anchors, const SourceTable& sources) {
  Counts counts;
  for (const auto& options : anchors) {
    for (const Anchor& anchor : options) {
      for (const AnchorKey& key : anchor) ++counts[key.hash];
    }
  }
  std::vector<const Anchor*> chosen;
  for (size_t entry = 0; entry < anchors.size(); ++entry) {
    const bool has_anchor = !anchors[entry].empty();
    chosen.push_back(has_anchor ? &rarest(anchors[entry], counts, sources) : nullptr);
    if (!has_anchor) unanchored_.push_back(static_cast<uint32_t>(entry));
  }
  build_probes(chosen, sources);
  build_table(chosen);
}

const Anchor& MatchIndex::rarest(const std::vector<Anchor>& anchors, const Counts& counts,
                                 const SourceTable& sources) const {
  const auto price = [&](const Anchor& anchor) {
    uint32_t most = 0;
    for (const AnchorKey& key : anchor) most = std::max(most, counts.at(key.hash));
    return most + (sources[anchor[0].probe.source].kind == KeyKind::kJwt ? kClaimPenalty : 0);
  };
  return *std::min_element(anchors.begin(), anchors.end(),
                           [&](const Anchor& a, const Anchor& b) { return price(a) < price(b); });
}

void MatchIndex::build_probes(const std::vector<const Anchor*>& chosen, const SourceTable& sources) {
  std::map<Probe, size_t> longest;
  for (const Anchor* anchor : chosen) {
    if (anchor == nullptr) continue;
    for (const AnchorKey& key : *anchor) longest[key.probe] = std::max(longest[key.probe], key.answer_size);
  }
  ranges_.resize(sources.size());
  const auto add_once = [](auto& list, auto item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  for (const auto& [probe, size] : longest) {
    const auto number = static_cast<uint32_t>(probes_.size());
    Range& range = ranges_[probe.source];
    if (range.end == 0) range.begin = number;
    range.end = number + 1;
    probes_.push_back({probe, probe.seed(), size});
    const KeyKind kind = sources[probe.source].kind;
    if (has_names(kind)) {
      add_once(named_kinds_, kind);
    } else {
      add_once(unnamed_sources_, probe.source);
    }
  }
}

void MatchIndex::build_table(const std::vector<const Anchor*>& chosen) {
  std::map<uint64_t, std::vector<uint32_t>> entries;
  for (size_t entry = 0; entry < chosen.size(); ++entry) {
    if (chosen[entry] == nullptr) continue;
    for (const AnchorKey& key : *chosen[entry]) entries[key.hash].push_back(static_cast<uint32_t>(entry));
  }
  size_t size = 8;
  while (size < 2 * entries.size()) size *= 2;
  slots_.resize(size);
  for (const auto& [hash, list] : entries) {
    size_t slot = home(hash);
    while (slots_[slot].hash != 0) slot = (slot + 1) & (size - 1);
    const bool is_single = list.size() == 1;
    slots_[slot] = {hash, is_single ? list[0] : static_cast<uint32_t>(lists_.size()),
                    static_cast<uint32_t>(list.size())};
    if (!is_single) lists_.insert(lists_.end(), list.begin(), list.end());
  }
}

void MatchIndex::find(Reader& reader, Found& found) const {
  found.assign(unanchored_.begin(), unanchored_.end());
  for (const SourceId source : unnamed_sources_) ask(source, reader, found);
  for (const KeyKind kind : named_kinds_) reader.read_named(kind);
  for (const SourceId source : reader.named()) ask(source, reader, found);
  // Most often one list was found, and lists are in order.
  const auto is_not_before = [](uint32_t a, uint32_t b) { return a >= b; };
  if (std::adjacent_find(found.begin(), found.end(), is_not_before) == found.end()) return;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void MatchIndex::ask(SourceId source, Reader& reader, Found& found) const {
  Segments segments;
  for (uint32_t i = ranges_[source].begin; i < ranges_[source].end; ++i) {
    const ProbeInUse& in_use = probes_[i];
    switch (in_use.probe.kind) {
      case Probe::Kind::kWhole:
        look_up(in_use, source == kPathSource ? reader.path() : reader.value(source), found);
        break;
      case Probe::Kind::kPrefix: ask_prefix(in_use, reader.value(source), found); break;
      case Probe::Kind::kNetworkV4:
      case Probe::Kind::kNetworkV6: ask_network(in_use, reader.client().address, found); break;
      case Probe::Kind::kPathPrefix: ask_path(in_use, reader.path(), segments, found); break;
      case Probe::Kind::kHostSuffix:
        look_up(in_use, last_labels(reader.value(source), in_use.probe.length), found);
        break;
    }
  }
}

void MatchIndex::ask_prefix(const ProbeInUse& in_use, std::string_view value, Found& found) const {
  if (value.size() >= in_use.probe.length) look_up(in_use, value.substr(0, in_use.probe.length), found);
}

void MatchIndex::ask_network(const ProbeInUse& in_use, const std::optional<Address>& address, Found& found) const {
  const bool is_v6 = in_use.probe.kind == Probe::Kind::kNetworkV6;
  if (!address || address->is_v6 != is_v6) return;
  look_up(in_use, answer_of(address->masked(static_cast<int>(in_use.probe.length))), found);
}

void MatchIndex::ask_path(const ProbeInUse& in_use, std::string_view path, Segments& segments, Found& found) const {
  if (path.size() == 1) return;
  for (; segments.count < in_use.probe.length; ++segments.count) {
    if (segments.end == path.size()) return;
    segments.end = std::min(path.find('/', segments.end + 1), path.size());
  }
  look_up(in_use, path.substr(0, segments.end), found);
}

void MatchIndex::look_up(const ProbeInUse& in_use, std::string_view answer, Found& found) const {
  if (answer.empty() || answer.size() > in_use.longest) return;
  const uint64_t hash = hash_answer(in_use.seed, answer);
  for (size_t i = home(hash); slots_[i].hash != 0; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.hash != hash) continue;
    if (slot.count == 1) {
      found.push_back(slot.begin);
    } else {
      for (uint32_t k = 0; k < slot.count; ++k) found.push_back(lists_[slot.begin + k]);
    }
    return;
  }
}

}  // namespace sluice::rules
