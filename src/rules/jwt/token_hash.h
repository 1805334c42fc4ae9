// Where a token goes in a cache. Keyed with a secret, so that nobody can choose tokens that all go to one place; what
// is found there is compared byte by byte, so nothing worse than a slow lookup hangs on it. Immutable; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::rules::jwt {

class TokenHash {
 public:
  using Secret = std::array<uint64_t, 8>;

  // Draws its secret from the operating system.
  TokenHash();
  explicit TokenHash(const Secret& secret) : secret_(secret) {}

  // Four multiplications side by side, by hand: the compiler would keep an array of lanes in memory.
  uint64_t operator()(std::string_view text) const {
    const char* at = text.data();
    const char* const end = at + text.size();
    uint64_t a = secret_[0], b = secret_[1], c = secret_[2], d = secret_[3];
    for (; end - at >= 64; at += 64) {
      a = mix(at, secret_[4], a);
      b = mix(at + 16, secret_[5], b);
      c = mix(at + 32, secret_[6], c);
      d = mix(at + 48, secret_[7], d);
    }
    uint64_t hash = fold(a ^ b, c ^ d) ^ a;
    for (; end - at >= 16; at += 16) hash = mix(at, secret_[5], hash);
    // The last 16 bytes, some of them for the second time; of a shorter text all there are.
    char padded[16] = {};
    if (text.size() >= sizeof(padded)) return finish(end - sizeof(padded), hash, text.size());
    if (!text.empty()) std::memcpy(padded, text.data(), text.size());
    return finish(padded, hash, text.size());
  }

 private:
  __extension__ using Wide = unsigned __int128;

  uint64_t finish(const char* last, uint64_t hash, size_t length) const {
    return fold(mix(last, secret_[6], hash) ^ length, secret_[7]);
  }
  static uint64_t fold(uint64_t a, uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  static uint64_t mix(const char* bytes, uint64_t secret, uint64_t state) {
    uint64_t words[2];
    std::memcpy(words, bytes, sizeof(words));
    return fold(words[0] ^ secret, words[1] ^ state);
  }

  Secret secret_;
};

}  // namespace sluice::rules::jwt
