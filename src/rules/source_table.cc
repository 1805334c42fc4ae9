#include "rules/source_table.h"

#include <algorithm>

#include "rules/letter_case.h"

namespace sluice::rules {
namespace {

constexpr size_t kFirstSlots = 8;

Letters letters_of(KeyKind kind) {
  return kind == KeyKind::kHeader || kind == KeyKind::kQuery ? Letters::kInLowerCase : Letters::kAsTheyAre;
}

uint64_t hash_name(std::string_view name, Letters letters) {
  return letters == Letters::kInLowerCase ? hash_bytes<Letters::kInLowerCase>(0, name) : hash_bytes(0, name);
}

// REQUIRES: where letters do not count, `ours` is in lower case.
bool is_name(std::string_view theirs, std::string_view ours, Letters letters) {
  if (theirs.size() != ours.size()) return false;
  if (letters == Letters::kAsTheyAre) return theirs == ours;
  if (theirs.size() < 8) return equal_ignoring_case(theirs, ours);
  const auto is_equal_at = [&](size_t i) {
    return hashing::in_lower_case(hashing::load<uint64_t>(theirs.data() + i)) ==
           hashing::load<uint64_t>(ours.data() + i);
  };
  for (size_t i = 0; i + 8 < theirs.size(); i += 8) {
    if (!is_equal_at(i)) return false;
  }
  return is_equal_at(theirs.size() - 8);
}

}  // namespace

void NameTable::add(std::string_view name, Letters letters, SourceId id) {
  entries_.push_back({hash_name(name, letters), std::string(name), id});
  lengths_ |= uint64_t{1} << std::min<size_t>(name.size(), 63);
  rebuild();
}

void NameTable::rebuild() {
  const bool is_roomy = entries_.size() * 2 <= slots_.size();
  size_t next = is_roomy ? entries_.size() - 1 : 0;
  if (!is_roomy) slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  for (; next < entries_.size(); ++next) {
    size_t slot = entries_[next].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<uint32_t>(next + 1);
  }
}

SourceId NameTable::find_among_few(std::string_view name, Letters letters) const {
  for (const Entry& entry : entries_) {
    if (is_name(name, entry.name, letters)) return entry.id;
  }
  return kNoSource;
}

SourceId NameTable::find_hash(uint64_t hash, std::string_view name, Letters letters) const {
  for (size_t slot = hash & (slots_.size() - 1); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && is_name(name, entry.name, letters)) return entry.id;
  }
  return kNoSource;
}

SourceTable::SourceTable() {
  append({KeyKind::kPath, ""});
  append({KeyKind::kMethod, ""});
  append({KeyKind::kHost, ""});
  append({KeyKind::kIp, ""});
}

SourceId SourceTable::add(const KeySource& source) {
  switch (source.kind) {
    case KeyKind::kPath: return kPathSource;
    case KeyKind::kMethod: return kMethodSource;
    case KeyKind::kHost: return kHostSource;
    case KeyKind::kIp: {
      const auto known =
          std::find_if(addresses_.begin(), addresses_.end(), [&](SourceId id) { return sources_[id] == source; });
      return known == addresses_.end() ? append(source) : *known;
    }
    default: break;
  }
  const NameTable& table = names(source.kind);
  const SourceId known = letters_of(source.kind) == Letters::kInLowerCase
                             ? table.find<Letters::kInLowerCase>(source.name)
                             : table.find<Letters::kAsTheyAre>(source.name);
  return known == kNoSource ? append(source) : known;
}

SourceId SourceTable::append(const KeySource& source) {
  const auto id = static_cast<SourceId>(sources_.size());
  sources_.push_back(source);
  numbers_.push_back(static_cast<uint32_t>(addresses_.size()));
  if (source.kind == KeyKind::kIp) addresses_.push_back(id);
  if (!source.name.empty()) names_[static_cast<size_t>(source.kind)].add(source.name, letters_of(source.kind), id);
  return id;
}

}  // namespace sluice::rules
