#include "telemetry/heavy_hitters.h"

#include <sys/random.h>

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace sluice::telemetry {
namespace {

constexpr double kLeast = 0.5;

uint64_t random_seed() {
  uint64_t seed = 0x9e3779b97f4a7c15;
  // Where there is no randomness the sketch still works; it can be slowed down, no more.
  if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed)) return 0x9e3779b97f4a7c15;
  return seed;
}

uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

size_t HeavyHitters::Hash::operator()(const KeyName& key) const {
  uint64_t hash = seed ^ key.hash_of_all;
  std::string_view rest = key.bytes;
  while (rest.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, rest.data(), 8);
    hash = fold(hash ^ word, seed | 1);
    rest.remove_prefix(8);
  }
  uint64_t last = 0;
  if (!rest.empty()) std::memcpy(&last, rest.data(), rest.size());
  return fold(hash ^ last, (seed ^ key.bytes.size()) | 1);
}

HeavyHitters::HeavyHitters(size_t capacity)
    : capacity_(capacity), entries_(capacity), index_(capacity, Hash{random_seed()}) {
  heap_.reserve(capacity);
  free_.reserve(capacity);
  for (size_t i = capacity; i > 0; --i) free_.push_back(static_cast<uint32_t>(i - 1));
}

void HeavyHitters::add(KeyName key, double weight) {
  assert(weight > 0);
  total_ += weight;
  if (capacity_ == 0) return;
  const auto known = index_.find(key);
  if (known != index_.end()) {
    Entry& entry = entries_[known->second];
    entry.count += weight;
    return sink(entry.heap_place);
  }
  free_.empty() ? replace_least(key, weight) : insert(key, weight);
}

void HeavyHitters::insert(KeyName key, double weight) {
  const uint32_t place = free_.back();
  free_.pop_back();
  Entry& entry = entries_[place];
  set_name(entry, key);
  entry.error = forgotten_;
  entry.count = forgotten_ + weight;
  index_.emplace(entry.name(), place);
  heap_.push_back(place);
  put(heap_.size() - 1, place);
  rise(heap_.size() - 1);
}

// The newcomer may have been here before with no more than the least: it inherits that, as its error.
void HeavyHitters::replace_least(KeyName key, double weight) {
  Entry& entry = entries_[heap_[0]];
  auto node = index_.extract(entry.name());
  set_name(entry, key);
  node.key() = entry.name();
  index_.insert(std::move(node));
  entry.error = entry.count;
  entry.count += weight;
  sink(0);
}

void HeavyHitters::set_name(Entry& entry, KeyName key) {
  assert(key.bytes.size() <= kLongestName);
  if (!key.bytes.empty()) std::memcpy(entry.bytes.data(), key.bytes.data(), key.bytes.size());
  entry.length = static_cast<uint8_t>(key.bytes.size());
  entry.hash_of_all = key.hash_of_all;
}

void HeavyHitters::decay() {
  total_ /= 2;
  forgotten_ /= 2;
  std::vector<uint32_t> kept;
  kept.reserve(capacity_);
  for (const uint32_t place : heap_) {
    Entry& entry = entries_[place];
    entry.count /= 2;
    entry.error /= 2;
    if (entry.count >= kLeast) {
      kept.push_back(place);
      continue;
    }
    forgotten_ = std::max(forgotten_, entry.count);
    index_.erase(entry.name());
    free_.push_back(place);
  }
  heap_ = std::move(kept);
  for (size_t i = 0; i < heap_.size(); ++i) put(i, heap_[i]);
  for (size_t i = heap_.size() / 2; i > 0; --i) sink(i - 1);
}

double HeavyHitters::floor() const { return free_.empty() && !heap_.empty() ? count_at(0) : forgotten_; }

std::vector<HeavyHitter> HeavyHitters::top(size_t most) const {
  std::vector<const Entry*> order;
  order.reserve(heap_.size());
  for (const uint32_t place : heap_) order.push_back(&entries_[place]);
  const size_t count = std::min(most, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(), [](const Entry* a, const Entry* b) {
        return a->count != b->count
                   ? a->count > b->count
                   : std::tuple(a->name().bytes, a->hash_of_all) < std::tuple(b->name().bytes, b->hash_of_all);
      });
  std::vector<HeavyHitter> hitters;
  hitters.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Entry& entry = *order[i];
    hitters.push_back({std::string(entry.name().bytes), entry.name().is_cut(), entry.count, entry.error});
  }
  return hitters;
}

void HeavyHitters::sink(size_t place) {
  const uint32_t moving = heap_[place];
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && count_at(child + 1) < count_at(child)) ++child;
    if (count_at(child) >= entries_[moving].count) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, moving);
}

void HeavyHitters::rise(size_t place) {
  const uint32_t moving = heap_[place];
  while (place > 0 && entries_[moving].count < count_at((place - 1) / 2)) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, moving);
}

void HeavyHitters::put(size_t place, uint32_t entry) {
  heap_[place] = entry;
  entries_[entry].heap_place = static_cast<uint32_t>(place);
}

}  // namespace sluice::telemetry
