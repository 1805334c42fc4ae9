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
// An entry is in an inner index once for each key that leads there, and in its table once for each key of its anchor.
// All inner indexes together may have as many keys as the rules name, and so many more for each rule; within one, no
// anchor has more than its share, so that looking for the rarest is bounded too.
constexpr size_t kKeysOfEach = 64;
constexpr int kDeepest = 8;
constexpr size_t kShortList = 8;

}  // namespace

class MatchIndex::Inside {
 public:
  // `room` is what those around them left.
  Inside(const SourceTable& sources, Room room) : sources_(sources), room_(room) {}

  // Comes before the others: each list that is to have an index has a share of the room by its length.
  void add(const std::vector<const Item*>& sharing) {
    if (sharing.size() <= kMostInAList || room_.depth >= kDeepest) return;
    if (inside_.emplace(sharing, Made{}).second) sharing_ += sharing.size();
  }

  // By its number in `inner`: that of those that share a key. Nothing if it would tell none of them apart.
  std::optional<uint32_t> index_of(const std::vector<const Item*>& sharing, std::vector<MatchIndex>& inner) {
    const auto added = inside_.find(sharing);
    if (added == inside_.end()) return std::nullopt;
    Made& made = added->second;
    if (!made.is_made) made = {true, make(sharing, inner)};
    return made.number;
  }

 private:
  struct Made {
    bool is_made = false;
    std::optional<uint32_t> number;
  };

  std::optional<uint32_t> make(const std::vector<const Item*>& sharing, std::vector<MatchIndex>& inner) {
    const auto room = static_cast<size_t>(uint64_t{room_.keys} * sharing.size() / sharing_);
    const size_t fitting = room / sharing.size();
    Items items;
    for (const Item* item : sharing) {
      Item& inside = items.emplace_back(Item{item->entry, {}, nullptr});
      for (const Anchor* anchor : item->options) {
        if (anchor != item->chosen && anchor->size() <= fitting) inside.options.push_back(anchor);
      }
    }
    choose_rarest(items, sources_);
    size_t keys = 0;
    for (const Item& item : items) keys += item.chosen == nullptr ? 0 : item.chosen->size();
    if (keys == 0) return std::nullopt;
    inner.push_back(MatchIndex(items, sources_, Room{room_.depth + 1, room - keys}));
    return static_cast<uint32_t>(inner.size() - 1);
  }

  const SourceTable& sources_;
  const Room room_;
  uint64_t sharing_ = 0;
  std::map<std::vector<const Item*>, Made> inside_;
};

MatchIndex::MatchIndex(const std::vector<std::vector<Anchor>>& anchors, const SourceTable& sources) {
  Items items(anchors.size());
  size_t keys = kKeysOfEach * anchors.size();
  for (size_t i = 0; i < anchors.size(); ++i) {
    items[i].entry = static_cast<uint32_t>(i);
    for (const Anchor& anchor : anchors[i]) {
      items[i].options.push_back(&anchor);
      keys += anchor.size();
    }
  }
  choose_rarest(items, sources);
  build(items, sources, {0, keys});
}

MatchIndex::MatchIndex(const Items& items, const SourceTable& sources, Room room) { build(items, sources, room); }

void MatchIndex::choose_rarest(Items& items, const SourceTable& sources) {
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
  // Of those that are as rare, a short list: its values most often share one inner index, and single values are in
  // that.
  const auto length = [](const Anchor* anchor) {
    return anchor->size() <= kShortList ? kShortList - anchor->size() : anchor->size();
  };
  const auto is_rarer = [&](const Anchor* a, const Anchor* b) {
    return std::pair(price(a), length(a)) < std::pair(price(b), length(b));
  };
  for (Item& item : items) {
    const auto rarest = std::min_element(item.options.begin(), item.options.end(), is_rarer);
    if (rarest != item.options.end()) item.chosen = *rarest;
  }
}

void MatchIndex::build(const Items& items, const SourceTable& sources, Room room) {
  for (const Item& item : items) {
    if (item.chosen == nullptr) unanchored_.push_back(item.entry);
  }
  build_probes(items, sources, room.depth);
  Inside inside(sources, room);
  build_table(items, inside);
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

void MatchIndex::build_table(const Items& items, Inside& inside) {
  std::map<uint64_t, std::vector<const Item*>> sharing;
  for (const Item& item : items) {
    if (item.chosen == nullptr) continue;
    for (const AnchorKey& key : *item.chosen) sharing[key.hash].push_back(&item);
  }
  for (const auto& [hash, those] : sharing) inside.add(those);
  size_t size = 8;
  while (size < 2 * sharing.size()) size *= 2;
  slots_.resize(size);
  for (const auto& [hash, those] : sharing) {
    size_t at = home(hash);
    while (slots_[at].hash != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot_of(hash, those, inside);
  }
}

MatchIndex::Slot MatchIndex::slot_of(uint64_t hash, const std::vector<const Item*>& sharing, Inside& inside) {
  if (sharing.size() == 1) return {hash, sharing[0]->entry, 1};
  if (const auto inner = inside.index_of(sharing, inner_)) return {hash, *inner, Slot::kInner};
  const auto begin = static_cast<uint32_t>(lists_.size());
  for (const Item* item : sharing) lists_.push_back(item->entry);
  return {hash, begin, static_cast<uint32_t>(sharing.size())};
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
