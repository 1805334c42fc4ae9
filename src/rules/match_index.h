// From a request to the few entries (rules and kill switches, by number) that it may be for: those whose anchor it has,
// and those that have none. What is found still has to be verified. Immutable once built.
//
// Each entry is kept under one anchor, the one whose keys the fewest others share. A request is asked the probes that
// are in use, which are few however many entries there are; of sources with names, only those that the request has.
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
  explicit MatchIndex(const std::vector<std::vector<Anchor>>& anchors, const SourceTable& sources);

  // Leaves what is found, ascending and without doubles.
  void find(Reader& reader, Found& found) const;

 private:
  // How far a path was walked: so many segments end here.
  struct Segments {
    uint32_t count = 0;
    size_t end = 0;
  };
  using Counts = std::unordered_map<uint64_t, uint32_t>;

  struct ProbeInUse {
    Probe probe;
    uint64_t seed = 0;
    size_t longest = 0;  // no answer longer than this is in the table
  };
  // The probes of a source: from `begin` to `end` in probes_.
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  struct Slot {
    uint64_t hash = 0;   // 0: unused
    uint32_t begin = 0;  // in lists_; of a single entry, the entry itself
    uint32_t count = 0;
  };

  const Anchor& rarest(const std::vector<Anchor>& anchors, const Counts& counts, const SourceTable& sources) const;
  void build_probes(const std::vector<const Anchor*>& chosen, const SourceTable& sources);
  void build_table(const std::vector<const Anchor*>& chosen);

  void ask(SourceId source, Reader& reader, Found& found) const;
  void ask_prefix(const ProbeInUse& in_use, std::string_view value, Found& found) const;
  void ask_network(const ProbeInUse& in_use, const std::optional<Address>& address, Found& found) const;
  void ask_path(const ProbeInUse& in_use, std::string_view path, Segments& segments, Found& found) const;
  void look_up(const ProbeInUse& in_use, std::string_view answer, Found& found) const;

  // The lowest bit of a hash is always set.
  size_t home(uint64_t hash) const { return hash >> 1 & (slots_.size() - 1); }

  std::vector<uint32_t> unanchored_;
  std::vector<ProbeInUse> probes_;  // by source, kind and length
  std::vector<Range> ranges_;       // by source
  // What probes ask for: sources without names, and kinds of sources with names.
  std::vector<SourceId> unnamed_sources_;
  std::vector<KeyKind> named_kinds_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<uint32_t> lists_;
};

}  // namespace sluice::rules
