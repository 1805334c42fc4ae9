#include "rules/match_index.h"

#include <algorithm>
#include <map>

#include "rules/conditions.h"

namespace sluice::rules {
namespace {

// Asking for a claim means verifying the token of every request that brings one. Only where much is gained by it.
constexpr uint32_t kClaimPenalty = 64;

// So many that share a key are simply looked at.
constexpr size_t kMostInAList = 8;
// An entry is in the table of an inner index once for each key of its anchor. That may have so many, and so many
// indexes may be within one another.
constexpr size_t kMostKeysInside = 4;
constexpr int kDeepest = 2;

}  // namespace

MatchIndex::MatchIndex(const std::vector<std::vector<Anchor>>& anchors, const SourceTable& sources) {
  Items items(anchors.size());
  for (size_t i = 0; i < anchors.size(); ++i) {
    items[i].entry = static_cast<uint32_t>(i);
    for (const Anchor& anchor : anchors[i]) items[i].options.push_back(&anchor);
  }
  build(items, sources, 0);
}

MatchIndex::MatchIndex(Items items, const SourceTable& sources, int depth) { build(items, sources, depth); }

// Chooses for each its rarest anchor.
void MatchIndex::build(Items& items, const SourceTable& sources, int depth) {
  Counts counts;
  for (const Item& item : items) {
    for (const Anchor* anchor : item.options) {
      for (const AnchorKey& key : *anchor) ++counts[key.hash];
    }
  }
  const auto price = [&](const Anchor* anchor) {
    uint32_t most = 0;
    for (const AnchorKey& key : *anchor) most = std::max(most, counts.at(key.hash));
    return most + (sources[anchor->front().probe.source].kind == KeyKind::kJwt ? kClaimPenalty : 0);
  };
  for (Item& item : items) {
    const auto rarest = std::min_element(item.options.begin(), item.options.end(),
                                         [&](const Anchor* a, const Anchor* b) { return price(a) < price(b); });
    if (rarest == item.options.end()) {
      unanchored_.push_back(item.entry);
    } else {
      item.chosen = *rarest;
    }
  }
  build_probes(items, sources, depth);
  build_table(items, sources, depth);
}

void MatchIndex::build_probes(const Items& items, const SourceTable& sources, int depth) {
  std::map<Probe, size_t> longest;
  for (const Item& item : items) {
    if (item.chosen == nullptr) continue;
    for (const AnchorKey& key : *item.chosen) longest[key.probe] = std::max(longest[key.probe], key.answer_size);
  }
  for (const auto& [probe, size] : longest) {
    const auto number = static_cast<uint32_t>(probes_.size());
    probes_.push_back({probe, probe.seed(), size});
    Range* range = nullptr;
    if (has_name(sources[probe.source]) && depth == 0) {
      named_.resize(sources.size());
      range = &named_[probe.source];
      const KeyKind kind = sources[probe.source].kind;
      if (std::find(named_kinds_.begin(), named_kinds_.end(), kind) == named_kinds_.end()) named_kinds_.push_back(kind);
    } else {
      if (always_.empty() || always_.back().source != probe.source) always_.emplace_back();
      range = &always_.back();
    }
    if (range->end == 0) *range = {probe.source, number, number};
    range->end = number + 1;
  }
}

void MatchIndex::build_table(const Items& items, const SourceTable& sources, int depth) {
  std::map<uint64_t, std::vector<const Item*>> sharing;
  for (const Item& item : items) {
    if (item.chosen == nullptr) continue;
    for (const AnchorKey& key : *item.chosen) sharing[key.hash].push_back(&item);
  }
  size_t size = 8;
  while (size < 2 * sharing.size()) size *= 2;
  slots_.resize(size);
  for (const auto& [hash, those] : sharing) add_slot(hash, those, sources, depth);
}

void MatchIndex::add_slot(uint64_t hash, const std::vector<const Item*>& sharing, const SourceTable& sources,
                          int depth) {
  size_t at = home(hash);
  while (slots_[at].hash != 0) at = (at + 1) & (slots_.size() - 1);
  Slot& slot = slots_[at];
  Items inside;
  size_t keys = 0;
  if (sharing.size() > kMostInAList && depth < kDeepest) {
    for (const Item* item : sharing) {
      Item& left = inside.emplace_back(Item{item->entry, {}, nullptr});
      for (const Anchor* anchor : item->options) {
        if (anchor != item->chosen && anchor->size() <= kMostKeysInside) left.options.push_back(anchor);
      }
      keys += left.options.size();
    }
  }
  if (keys > 0) {
    slot = {hash, static_cast<uint32_t>(inner_.size()), Slot::kInner};
    inner_.push_back(MatchIndex(std::move(inside), sources, depth + 1));
  } else if (sharing.size() == 1) {
    slot = {hash, sharing[0]->entry, 1};
  } else {
    slot = {hash, static_cast<uint32_t>(lists_.size()), static_cast<uint32_t>(sharing.size())};
    for (const Item* item : sharing) lists_.push_back(item->entry);
  }
}

void MatchIndex::find(Reader& reader, Found& found) const {
  found.clear();
  collect({reader, found});
  // Most often one list was found, and lists are in order.
  const auto is_not_before = [](uint32_t a, uint32_t b) { return a >= b; };
  if (std::adjacent_find(found.begin(), found.end(), is_not_before) == found.end()) return;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void MatchIndex::collect(const Search& search) const {
  search.found.insert(search.found.end(), unanchored_.begin(), unanchored_.end());
  for (const Range& range : always_) ask(range, search);
  if (named_kinds_.empty()) return;
  for (const KeyKind kind : named_kinds_) search.reader.read_named(kind);
  // By number: more may be read meanwhile, of kinds that are asked for inside.
  for (size_t i = 0; i < search.reader.named().size(); ++i) ask(named_[search.reader.named()[i]], search);
}

void MatchIndex::ask(const Range& range, const Search& search) const {
  Reader& reader = search.reader;
  Segments segments;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const ProbeInUse& in_use = probes_[i];
    switch (in_use.probe.kind) {
      case Probe::Kind::kWhole:
        look_up(in_use, range.source == kPathSource ? reader.path() : reader.value(range.source), search);
        break;
      case Probe::Kind::kPresent:
        if (!reader.value(range.source).empty()) look_up(in_use, kPresent, search);
        break;
      case Probe::Kind::kPrefix: ask_prefix(in_use, reader.value(range.source), search); break;
      case Probe::Kind::kNetworkV4:
      case Probe::Kind::kNetworkV6: ask_network(in_use, reader.client().address, search); break;
      case Probe::Kind::kPathPrefix: ask_path(in_use, segments, search); break;
      case Probe::Kind::kHostSuffix:
        look_up(in_use, last_labels(reader.value(range.source), in_use.probe.length), search);
        break;
    }
  }
}

void MatchIndex::ask_prefix(const ProbeInUse& in_use, std::string_view value, const Search& search) const {
  if (value.size() >= in_use.probe.length) look_up(in_use, value.substr(0, in_use.probe.length), search);
}

void MatchIndex::ask_network(const ProbeInUse& in_use, const std::optional<Address>& address,
                             const Search& search) const {
  const bool is_v6 = in_use.probe.kind == Probe::Kind::kNetworkV6;
  if (!address || address->is_v6 != is_v6) return;
  look_up(in_use, answer_of(address->masked(static_cast<int>(in_use.probe.length))), search);
}

void MatchIndex::ask_path(const ProbeInUse& in_use, Segments& segments, const Search& search) const {
  const std::string_view path = search.reader.path();
  if (path.size() == 1) return;
  for (; segments.count < in_use.probe.length; ++segments.count) {
    if (segments.end == path.size()) return;
    segments.end = std::min(path.find('/', segments.end + 1), path.size());
  }
  look_up(in_use, path.substr(0, segments.end), search);
}

void MatchIndex::look_up(const ProbeInUse& in_use, std::string_view answer, const Search& search) const {
  if (answer.empty() || answer.size() > in_use.longest) return;
  const uint64_t hash = hash_answer(in_use.seed, answer);
  for (size_t i = home(hash); slots_[i].hash != 0; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.hash != hash) continue;
    if (slot.count == 1) {
      search.found.push_back(slot.begin);
    } else if (slot.count == Slot::kInner) {
      inner_[slot.begin].collect(search);
    } else {
      for (uint32_t k = 0; k < slot.count; ++k) search.found.push_back(lists_[slot.begin + k]);
    }
    return;
  }
}

}  // namespace sluice::rules
