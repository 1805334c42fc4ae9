// Tokens that have been looked at, with what was found: a table of sets of four, bounded in entries and in bytes.
// Entries are owned here; a pointer to one is valid until the next call of put() or take_out(). Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/claims.h"
#include "rules/jwt/payload.h"
#include "rules/jwt/token.h"

namespace sluice::rules::jwt {

struct CachedToken {
  std::string text;
  Refused refused;  // kNone: the claims are true while the validity holds
  Validity validity;
  Claims claims;
};

class ClaimCache {
 public:
  struct Bounds {
    size_t sets = 4096;  // rounded up to a power of two; four tokens each
    size_t bytes = size_t{16} << 20;
  };

  explicit ClaimCache(const Bounds& bounds);

  // The entry of exactly this text, or nullptr. `hash` is that of the text, by any one function.
  CachedToken* find(uint64_t hash, std::string_view text) {
    Set& set = set_of(hash);
    for (size_t way = 0; way < kWays; ++way) {
      if (set.tags[way] != tag_of(hash) || !set.tokens[way] || set.tokens[way]->text != text) continue;
      set.used[way] = ++time_;
      return set.tokens[way].get();
    }
    return nullptr;
  }

  // In place of what has expired, or else was not used for longest. REQUIRES: find() has not found it.
  CachedToken* put(uint64_t hash, std::unique_ptr<CachedToken> token, int64_t unix_seconds);

  // REQUIRES: find() has found it.
  std::unique_ptr<CachedToken> take_out(uint64_t hash, const CachedToken* token);

  size_t size() const { return size_; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kWays = 4;

  // One line of the processor's cache.
  struct alignas(64) Set {
    uint32_t tags[kWays] = {};
    uint32_t used[kWays] = {};
    std::unique_ptr<CachedToken> tokens[kWays];
  };

  Set& set_of(uint64_t hash) { return sets_[hash & (sets_.size() - 1)]; }
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  size_t way_to_reuse(const Set& set, int64_t unix_seconds) const;
  std::unique_ptr<CachedToken> clear(Set& set, size_t way);
  void make_room(size_t bytes, int64_t unix_seconds);

  const size_t most_bytes_;
  std::vector<Set> sets_;
  uint32_t time_ = 0;  // counts uses; ages are differences, so that it may wrap around
  size_t hand_ = 0;    // the set that gives up a token next when bytes are short
  size_t size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace sluice::rules::jwt
