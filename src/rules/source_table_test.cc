#include "rules/source_table.h"

#include <gtest/gtest.h>

namespace sluice::rules {
namespace {

TEST(SourceTable, NumbersEachSourceOnce) {
  SourceTable table;
  const SourceId header = table.add(*KeySource::parse("header:x-a"));
  EXPECT_EQ(table.add(*KeySource::parse("header:X-A")), header);
  EXPECT_NE(table.add(*KeySource::parse("query:x-a")), header);
  EXPECT_EQ(table.add(*KeySource::parse("ip:address")), kAddressSource);
  EXPECT_EQ(table.add(*KeySource::parse("path")), kPathSource);
  const SourceId network = table.add(*KeySource::parse("ip:address/24"));
  EXPECT_NE(network, kAddressSource);
  EXPECT_EQ(table.add(*KeySource::parse("ip:address/24/64")), network);
  EXPECT_EQ(table.addresses(), 2u);
}

TEST(SourceTable, FindsNamesInAnyCaseWhereThatIsMeant) {
  SourceTable table;
  const SourceId header = table.add(*KeySource::parse("header:x-rate-limit-key"));
  const SourceId attribute = table.add(*KeySource::parse("attr:User_Identity"));
  const auto& headers = table.names(KeyKind::kHeader);
  EXPECT_EQ(headers.find<Letters::kInLowerCase>("X-RATE-LIMIT-KEY"), header);
  EXPECT_EQ(headers.find<Letters::kInLowerCase>("x-rate-limit-kez"), kNoSource);
  EXPECT_EQ(headers.find<Letters::kInLowerCase>("x-rate-limit-ke"), kNoSource);
  EXPECT_EQ(headers.find<Letters::kInLowerCase>("x\rrate-limit-key"), kNoSource);
  EXPECT_EQ(table.names(KeyKind::kAttribute).find<Letters::kAsTheyAre>("User_Identity"), attribute);
  EXPECT_EQ(table.names(KeyKind::kAttribute).find<Letters::kAsTheyAre>("user_identity"), kNoSource);
  EXPECT_EQ(table.names(KeyKind::kQuery).find<Letters::kInLowerCase>("x"), kNoSource);
}

TEST(SourceTable, FindsEachOfManyNamesOfAllLengths) {
  SourceTable table;
  std::vector<std::pair<std::string, SourceId>> names;
  for (size_t i = 0; i < 2000; ++i) {
    const std::string name = "n" + std::to_string(i) + std::string(i % 100, 'x');
    names.emplace_back(name, table.add({KeyKind::kHeader, name}));
  }
  for (auto& [name, id] : names) {
    EXPECT_EQ(table.names(KeyKind::kHeader).find<Letters::kInLowerCase>(name), id);
    name[0] = 'N';
    EXPECT_EQ(table.names(KeyKind::kHeader).find<Letters::kInLowerCase>(name), id);
    name[0] = 'm';
    EXPECT_EQ(table.names(KeyKind::kHeader).find<Letters::kInLowerCase>(name), kNoSource);
  }
}

TEST(Hashing, LowersEveryByteAsAsciiDoes) {
  for (int c = 0; c < 256; ++c) {
    for (size_t place = 0; place < 8; ++place) {
      std::string text(8, 'x');
      text[place] = static_cast<char>(c);
      std::string lower = text;
      if (c >= 'A' && c <= 'Z') lower[place] = static_cast<char>(c + 32);
      EXPECT_EQ(hash_bytes<Letters::kInLowerCase>(1, text), hash_bytes<>(1, lower)) << c;
    }
  }
}

TEST(Hashing, TellsTextsOfAllLengthsApart) {
  std::vector<uint64_t> hashes;
  for (size_t length = 0; length < 40; ++length) {
    for (size_t place = 0; place <= length; ++place) {
      std::string text(length, '\0');
      if (place < length) text[place] = 1;
      hashes.push_back(hash_bytes<>(0, text));
    }
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace sluice::rules
