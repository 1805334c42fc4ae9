// The distinct sources that a set of rules reads, numbered, so that each is read once for a request.
// Immutable once it is filled; then any number of threads may read it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/hashing.h"
#include "rules/key_source.h"

namespace sluice::rules {

using SourceId = uint32_t;

// These are in every table.
inline constexpr SourceId kPathSource = 0;
inline constexpr SourceId kMethodSource = 1;
inline constexpr SourceId kHostSource = 2;
inline constexpr SourceId kAddressSource = 3;  // the whole of it
inline constexpr SourceId kNoSource = UINT32_MAX;

inline constexpr size_t kKeyKinds = 9;

// Names of one kind and the sources they stand for. Most names of a request are refused by their length alone.
class NameTable {
 public:
  void add(std::string_view name, Letters letters, SourceId id);
  bool empty() const { return entries_.empty(); }

  // REQUIRES: the same `letters` as when names were added. kNoSource for a name that is not in it.
  template <Letters kLetters>
  SourceId find(std::string_view name) const {
    if ((lengths_ >> (name.size() < 63 ? name.size() : 63) & 1) == 0) return kNoSource;
    if (entries_.size() <= kFew) return find_among_few(name, kLetters);
    return find_hash(hash_bytes<kLetters>(0, name), name, kLetters);
  }

 private:
  struct Entry {
    uint64_t hash;
    std::string name;
    SourceId id;
  };

  // So many are sooner compared than hashed.
  static constexpr size_t kFew = 4;

  SourceId find_among_few(std::string_view name, Letters letters) const;
  SourceId find_hash(uint64_t hash, std::string_view name, Letters letters) const;
  void rebuild();

  uint64_t lengths_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // index into entries_ plus one; a power of two, at most half full
};

class SourceTable {
 public:
  SourceTable();

  SourceId add(const KeySource& source);

  size_t size() const { return sources_.size(); }
  const KeySource& operator[](SourceId id) const { return sources_[id]; }
  const NameTable& names(KeyKind kind) const { return names_[static_cast<size_t>(kind)]; }
  // Which of the sources of addresses it is, from 0. REQUIRES: it is one.
  uint32_t address_number(SourceId id) const { return numbers_[id]; }
  size_t addresses() const { return addresses_.size(); }

 private:
  SourceId append(const KeySource& source);

  std::vector<KeySource> sources_;
  std::vector<uint32_t> numbers_;
  std::array<NameTable, kKeyKinds> names_;
  std::vector<SourceId> addresses_;
};

}  // namespace sluice::rules
