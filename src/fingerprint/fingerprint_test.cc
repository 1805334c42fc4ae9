#include "fingerprint/fingerprint.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace sluice {
namespace {

constexpr Fingerprinter::Secret kSecret = {
    0x0706050403020100, 0x0f0e0d0c0b0a0908, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

using Pair = std::pair<uint64_t, uint64_t>;
Pair pair_of(const Fingerprint& f) { return {f.low, f.high}; }

class FingerprinterTest : public testing::TestWithParam<bool> {
 protected:
  Fingerprinter fingerprint_{kSecret, GetParam()};
};

TEST_P(FingerprinterTest, TellsApartKeysThatDifferOnlyInLengthOrPadding) {
  std::set<Pair> seen;
  size_t made = 0;
  for (size_t length = 0; length <= 70; ++length) {
    for (const char fill : {'\0', '\x80', '\1', 'a'}) {
      std::string key(length, fill);
      seen.insert(pair_of(fingerprint_(key)));
      ++made;
      if (length > 0) {
        key.back() = '\x80';
        if (fill != '\x80') {
          seen.insert(pair_of(fingerprint_(key)));
          ++made;
        }
      }
    }
  }
  // The empty key was made four times over; keys of one byte whose only byte is replaced, three times over.
  EXPECT_EQ(seen.size(), made - 3 - 3);
}

TEST_P(FingerprinterTest, DependsOnEveryBitOfTheKey) {
  for (const size_t length : {1U, 3U, 4U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 64U}) {
    const std::string key(length, 'k');
    const Fingerprint plain = fingerprint_(key);
    for (size_t bit = 0; bit < length * 8; ++bit) {
      std::string flipped = key;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      const Fingerprint other = fingerprint_(flipped);
      const int changed = std::popcount(plain.low ^ other.low) + std::popcount(plain.high ^ other.high);
      EXPECT_GT(changed, 25) << "length " << length << " bit " << bit;
      EXPECT_LT(changed, 103) << "length " << length << " bit " << bit;
    }
  }
}

TEST_P(FingerprinterTest, DependsOnTheSecret) {
  Fingerprinter::Secret other = kSecret;
  other[0] ^= 1;
  const Fingerprinter fingerprint_other(other, GetParam());
  EXPECT_NE(pair_of(fingerprint_("user:42")), pair_of(fingerprint_other("user:42")));
}

TEST_P(FingerprinterTest, IsTheSameForTheSameKeyWhereverItLies) {
  const std::string key = "user:42:somewhere";
  for (size_t offset = 0; offset < 16; ++offset) {
    const std::string shifted = std::string(offset, '#') + key;
    EXPECT_EQ(fingerprint_(key), fingerprint_(std::string_view(shifted).substr(offset)));
  }
}

TEST_P(FingerprinterTest, SpreadsSequentialKeysEvenly) {
  constexpr int kBins = 64;
  constexpr int kKeys = 64'000;
  int bins[kBins] = {};
  for (int i = 0; i < kKeys; ++i) ++bins[fingerprint_("user:" + std::to_string(i)).high >> 58];
  double chi_squared = 0;
  for (const int count : bins) chi_squared += (count - kKeys / kBins) * (count - kKeys / kBins) / (1.0 * kKeys / kBins);
  EXPECT_LT(chi_squared, 130);  // 63 degrees of freedom: exceeded by chance once in a million.
}

INSTANTIATE_TEST_SUITE_P(Ways, FingerprinterTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "Portable" : "OfThisProcessor"; });

// The reference vector of SipHash-2-4 with 128 bits: key 00..0f, message 00..0e.
TEST(Fingerprinter, PortableWayIsSipHash) {
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  const Fingerprint got = Fingerprinter(kSecret, true)(message);
  EXPECT_EQ(got.low, 0x11a8b03399e99354U);
  EXPECT_EQ(got.high, 0xd9c3cf970fec087eU);
}

TEST(Fingerprinter, DrawsADifferentSecretEachTime) {
  EXPECT_NE(pair_of(Fingerprinter()("user:42")), pair_of(Fingerprinter()("user:42")));
}

}  // namespace
}  // namespace sluice
