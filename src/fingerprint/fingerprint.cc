#include "fingerprint/fingerprint.h"

#include <sys/random.h>

#include <bit>
#include <chrono>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sluice {
namespace {

Fingerprint nonzero(uint64_t low, uint64_t high) { return {low != 0 ? low : 1, high}; }

Fingerprinter::Secret draw_secret() {
  Fingerprinter::Secret secret;
  auto* bytes = reinterpret_cast<char*>(secret.data());
  size_t filled = 0;
  for (int tries = 0; filled < sizeof(secret) && tries < 100; ++tries) {
    const ssize_t got = getrandom(bytes + filled, sizeof(secret) - filled, 0);
    if (got > 0) filled += static_cast<size_t>(got);
  }
  return secret;
}

bool processor_has_aes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
#else
  return false;
#endif
}

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void absorb(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  uint64_t squeeze() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

Fingerprinter::Fingerprinter() : Fingerprinter(draw_secret()) {}

Fingerprinter::Fingerprinter(const Secret& secret, bool portable)
    : secret_(secret), has_aes_(!portable && processor_has_aes()) {}

// SipHash-2-4 with 128 bits of output.
Fingerprint Fingerprinter::by_siphash(std::string_view key) const {
  SipState state{secret_[0] ^ 0x736f6d6570736575, secret_[1] ^ 0x646f72616e646f6d ^ 0xee,
                 secret_[0] ^ 0x6c7967656e657261, secret_[1] ^ 0x7465646279746573};
  const size_t whole = key.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    uint64_t word;
    std::memcpy(&word, key.data() + i, 8);
    state.absorb(word);
  }
  uint64_t last = static_cast<uint64_t>(key.size()) << 56;
  for (size_t i = whole; i < key.size(); ++i) {
    last |= static_cast<uint64_t>(static_cast<unsigned char>(key[i])) << (8 * (i - whole));
  }
  state.absorb(last);
  state.v2 ^= 0xee;
  const uint64_t low = state.squeeze();
  state.v1 ^= 0xdd;
  return nonzero(low, state.squeeze());
}

#if defined(__x86_64__)
namespace {

template <class Word>
uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// The bytes of a last block that is not whole, then one set bit, then zeros. Overlapping loads instead of a copy: a
// copy would have to be written byte by byte and then stall the load behind it.
__attribute__((target("sse4.1"))) __m128i padded(const char* bytes, size_t size) {
  uint64_t low = 0;
  uint64_t high = 0;
  if (size >= 8) {
    low = load<uint64_t>(bytes);
    high = size == 8 ? 0 : load<uint64_t>(bytes + size - 8) >> (8 * (16 - size));
    high |= uint64_t{0x80} << (8 * (size - 8));
  } else if (size >= 4) {
    low = load<uint32_t>(bytes) | load<uint32_t>(bytes + size - 4) << (8 * (size - 4)) | uint64_t{0x80} << (8 * size);
  } else {
    for (size_t i = 0; i < size; ++i) low |= load<uint8_t>(bytes + i) << (8 * i);
    low |= uint64_t{0x80} << (8 * size);
  }
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

}  // namespace

// Four AES rounds under independent random round keys let two blocks meet with a chance below 2^-113. Blocks are
// chained; whole and padded last blocks are told apart by different keys, so that lengths cannot be confused.
__attribute__((target("aes,sse4.1"))) Fingerprint Fingerprinter::by_aes(std::string_view key) const {
  const auto* keys = reinterpret_cast<const __m128i*>(secret_.data());
  const auto rounds = [keys](__m128i block) __attribute__((target("aes,sse4.1"))) {
    block = _mm_aesenc_si128(block, _mm_load_si128(keys + 1));
    block = _mm_aesenc_si128(block, _mm_load_si128(keys + 2));
    block = _mm_aesenc_si128(block, _mm_load_si128(keys + 3));
    return _mm_aesenc_si128(block, _mm_load_si128(keys + 4));
  };
  __m128i state = _mm_load_si128(keys);
  const char* bytes = key.data();
  size_t left = key.size();
  for (; left > 16; left -= 16, bytes += 16) {
    state = rounds(_mm_xor_si128(state, _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
  }
  const bool is_whole = left == 16;
  const __m128i last = is_whole ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)) : padded(bytes, left);
  state = _mm_xor_si128(state, _mm_load_si128(keys + (is_whole ? 5 : 6)));
  state = rounds(_mm_xor_si128(state, last));
  return nonzero(static_cast<uint64_t>(_mm_cvtsi128_si64(state)), static_cast<uint64_t>(_mm_extract_epi64(state, 1)));
}
#else
Fingerprint Fingerprinter::by_aes(std::string_view key) const { return by_siphash(key); }
#endif

}  // namespace sluice
