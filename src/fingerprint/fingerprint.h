// 128-bit fingerprints stand for keys in the table: no key is stored, and two keys that meet would share a bucket.
// They are keyed with a secret drawn at start, so that nobody without it can make two keys meet
// (docs/decisions/0003-fingerprints.md). Immutable after construction; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice {

// Not set by itself: requests hold arrays of them, and clearing those shows.
struct Fingerprint {
  uint64_t low;  // never 0: that marks an unused slot
  uint64_t high;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

class Fingerprinter {
 public:
  using Secret = std::array<uint64_t, 16>;

  // Draws its secret from the operating system.
  Fingerprinter();
  // For tests: a known secret, and a choice of the portable way even where the processor has AES.
  explicit Fingerprinter(const Secret& secret, bool portable = false);

  // Different parts of one key, and parts of different keys, meet no more easily than different keys.
  Fingerprint operator()(std::string_view key, uint32_t part = 0) const {
    const Fingerprint whole = has_aes_ ? by_aes(key) : by_siphash(key);
    return part == 0 ? whole : of_part(whole, part);
  }

 private:
  // A secret difference for each part: two keys meet in it only if their own fingerprints differ by just that.
  Fingerprint of_part(Fingerprint whole, uint32_t part) const {
    const uint64_t low = whole.low ^ (secret_[14] | 1) * part;
    return {low != 0 ? low : 1, whole.high ^ (secret_[15] | 1) * part};
  }
  Fingerprint by_aes(std::string_view key) const;
  Fingerprint by_siphash(std::string_view key) const;

  alignas(16) Secret secret_;
  bool has_aes_;
};

}  // namespace sluice
