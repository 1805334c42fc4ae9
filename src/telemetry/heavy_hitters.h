// The keys with the most weight, in bounded memory: the Space-Saving sketch of Metwally, Agrawal and El Abbadi (2005).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "telemetry/key_name.h"

namespace sluice::telemetry {

struct HeavyHitter {
  std::string name;     // any bytes
  bool is_cut = false;  // there is more of it
  double count = 0;     // at least what was added for it
  double error = 0;     // at most this much too much
};

// Keeps `capacity` keys; about 300 bytes each. A key with more than total() / capacity is always among them.
// Not thread-safe. Memory is taken when it is made, and as keys come.
class HeavyHitters {
 public:
  explicit HeavyHitters(size_t capacity);
  HeavyHitters(const HeavyHitters&) = delete;
  HeavyHitters& operator=(const HeavyHitters&) = delete;

  // REQUIRES: weight > 0. With a capacity of 0 nothing is kept.
  void add(KeyName key, double weight);
  // Halves all that was added, so that what is old fades. What is left with less than a half is forgotten.
  void decay();

  // All that was added, halved as often as the counts.
  double total() const { return total_; }
  size_t size() const { return heap_.size(); }
  // No key that is not kept has more than this.
  double floor() const;

  // The `most` with the highest count, the highest first; of equals, by name.
  std::vector<HeavyHitter> top(size_t most) const;

 private:
  struct Entry {
    double count = 0;
    double error = 0;
    uint64_t hash_of_all = 0;
    uint32_t heap_place = 0;
    uint8_t length = 0;
    std::array<char, kLongestName> bytes{};

    KeyName name() const { return {{bytes.data(), length}, hash_of_all}; }
  };

  // Under a secret: nobody can choose keys that meet in one chain.
  struct Hash {
    uint64_t seed;
    size_t operator()(const KeyName& key) const;
  };
  using Index = std::unordered_map<KeyName, uint32_t, Hash>;

  void insert(KeyName key, double weight);
  void replace_least(KeyName key, double weight);
  static void set_name(Entry& entry, KeyName key);
  void sink(size_t place);
  void rise(size_t place);
  void put(size_t place, uint32_t entry);
  double count_at(size_t place) const { return entries_[heap_[place]].count; }

  const size_t capacity_;
  std::vector<Entry> entries_;  // never moves: the index looks into it
  std::vector<uint32_t> heap_;  // entries, the least count first
  std::vector<uint32_t> free_;
  Index index_;
  double total_ = 0;
  double forgotten_ = 0;  // the most that a key had when it was forgotten
};

}  // namespace sluice::telemetry
