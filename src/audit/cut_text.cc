#include "audit/cut_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "fingerprint/fingerprint.h"

namespace sluice::audit {
namespace {

// Known to all: it tells texts apart for people. What is counted together is decided by a secret one.
const Fingerprinter& plain_hash() {
  static const Fingerprinter kHash(Fingerprinter::Secret{}, true);
  return kHash;
}

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

void CutText::cut() {
  constexpr size_t kLongestCharacter = 4;
  const Fingerprint hash = plain_hash()(head_);
  const int length = std::snprintf(mark_.data(), mark_.size(), "...(%zu bytes, %016" PRIx64 "%016" PRIx64 ")",
                                   head_.size(), hash.high, hash.low);
  mark_size_ = static_cast<size_t>(length);
  size_t kept = kLongestText - mark_size_;
  // Bytes that are no UTF-8 may go on like this for ever.
  const size_t least = kept - (kLongestCharacter - 1);
  while (kept > least && is_inside_character(head_[kept])) --kept;
  head_ = head_.substr(0, kept);
}

}  // namespace sluice::audit
