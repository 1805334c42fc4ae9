// From a request to the few entries (rules and kill switches, by number) that it may be for: those whose anchor it has,
// and those that have none. What is found still has to be verified. Immutable once built.
//
// Each entry is kept under one anchor, the one whose keys the fewest others share. A request is asked the probes that
// are in use, which are few however many entries there are; of sources with names, only those that the request has.
// Where many entries share a key even so, they have an index of their own, by what else they ask; where they share
// several keys, it is the same one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/anchors.h"
#include "rules/reader.h"

namespace sluice::rules {

class MatchIndex {
 public:
  using Found = std::vector<uint32_t>;

  // `anchors[i]` are those of entry i.
  MatchIndex(const std::vector<std::vector<Anchor>>& anchors, const SourceTable& sources);

  // Leaves what is found, ascending and without doubles.
  void find(Reader& reader, Found& found) const;

 private:
  // How far a path was walked: so many segments end here.
  struct Segments {
    uint32_t count = 0;
    size_t end = 0;
  };
  using Counts = std::unordered_map<uint64_t, uint32_t>;

  // What is to be found, and by what it can be.
  struct Item {
    uint32_t entry = 0;
    std::vector<const Anchor*> options;
    const Anchor* chosen = nullptr;
  };
  using Items = std::vector<Item>;

  struct ProbeInUse {
    Probe probe;
    uint64_t seed = 0;
    size_t longest = 0;  // no answer longer than this is in the table
  };
  // The probes of a source: from `begin` to `end` in probes_.
  struct Range {
    SourceId source = kPathSource;
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  struct Slot {
    static constexpr uint32_t kInner = UINT32_MAX;

    uint64_t hash = 0;   // 0: unused
    uint32_t begin = 0;  // in lists_; of a single entry, the entry itself; in inner_
    uint32_t count = 0;  // of entries, or kInner
  };
  struct Search {
    Reader& reader;
    Found& found;
  };

  // Within how many others an index is, and how many keys it and those within it may have in their tables.
  struct Room {
    int depth = 0;
    size_t keys = 0;
  };
  // Makes the indexes within one.
  class Inside;

  // Of those that share a key.
  MatchIndex(const Items& items, const SourceTable& sources, Room room);

  void build(const Items& items, const SourceTable& sources, Room room);
  static void choose_rarest(Items& items, const SourceTable& sources);
  void build_probes(const Items& items, const SourceTable& sources, int depth);
  void build_table(const Items& items, Inside& inside);
  Slot slot_of(uint64_t hash, const std::vector<const Item*>& sharing, Inside& inside);

  void collect(const Search& search) const;
  void ask(const Range& range, const Search& search) const;
  void ask_prefix(const ProbeInUse& in_use, std::string_view value, const Search& search) const;
  void ask_network(const ProbeInUse& in_use, const std::optional<Address>& address, const Search& search) const;
  void ask_path(const ProbeInUse& in_use, Segments& segments, const Search& search) const;
  void look_up(const ProbeInUse& in_use, std::string_view answer, const Search& search) const;

  // The lowest bit of a hash is always set.
  size_t home(uint64_t hash) const { return hash >> 1 & (slots_.size() - 1); }

  std::vector<uint32_t> unanchored_;
  std::vector<ProbeInUse> probes_;  // by source, kind and length
  std::vector<Range> always_;       // of sources that every request is asked for
  // Of sources with names, of which only those are asked that a request has: their kinds, and what to ask, by source.
  // An inner index has none: whoever gets there is asked for all its sources.
  std::vector<KeyKind> named_kinds_;
  std::vector<Range> named_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<uint32_t> lists_;
  std::vector<MatchIndex> inner_;
};

}  // namespace sluice::rules
