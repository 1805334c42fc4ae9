#include "audit/spill.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "audit/batch_codec.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::audit {
namespace {

using sql::sqlite::fails_with;
using sql::sqlite::is_done;
using sql::sqlite::TempFolder;

Batch batch_of(int64_t number, size_t rows = 3, size_t key_size = 20) {
  Batch batch{"w", number, {}};
  for (size_t i = 0; i < rows; ++i) {
    Violation row;
    row.bucket_key = std::string("k\0", 2) + std::to_string(i) + std::string(key_size, 'x');
    if (i % 2 == 0) row.user_id = "";
    row.requested_at_us = number;
    row.tokens_at_time = 0.25;
    row.count = i + 1;
    if (i == 1) row.rule_id = -7;
    row.reason = "kill_switch";
    row.is_shadow = i == 2;
    batch.violations.push_back(row);
  }
  return batch;
}

std::unique_ptr<Spill> open_spill(const Spill::Options& options) {
  auto spill = Spill::open(options);
  EXPECT_TRUE(is_done(spill));
  return spill ? std::move(*spill) : nullptr;
}

// Takes all, in order.
std::vector<int64_t> numbers_in(Spill& spill) {
  std::vector<int64_t> numbers;
  while (!spill.empty()) {
    const auto front = spill.front();
    EXPECT_TRUE(is_done(front));
    if (!front) return numbers;
    numbers.push_back((*front)->number);
    spill.pop(**front);
  }
  return numbers;
}

std::filesystem::path only_file(const TempFolder& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "spill")) {
    if (entry.path().extension() == ".batches") found = entry.path();
  }
  return found;
}

TEST(BatchCodec, BringsBackEveryField) {
  const Batch batch = batch_of(77);
  const auto again = decode(encode(batch));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->writer, "w");
  EXPECT_EQ(again->number, 77);
  ASSERT_EQ(again->violations.size(), 3U);
  EXPECT_EQ(encode(*again), encode(batch));
  EXPECT_EQ(again->violations[0].user_id, "");
  EXPECT_EQ(again->violations[1].user_id, std::nullopt);
  EXPECT_EQ(again->violations[1].rule_id, -7);
  EXPECT_TRUE(again->violations[2].is_shadow);
}

TEST(BatchCodec, RefusesEveryPartOfABatch) {
  const std::string bytes = encode(batch_of(1));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode(bytes + "x"));
}

TEST(Spill, GivesBatchesBackInOrderAlsoToTheNextProcess) {
  TempFolder folder;
  const Spill::Options options{.folder = folder / "spill"};
  int64_t first = 0;
  std::string name;
  {
    const auto spill = open_spill(options);
    name = spill->writer().name();
    first = spill->writer().next_number();
    for (int i = 1; i <= 10; ++i) ASSERT_TRUE(is_done(spill->add(batch_of(i))));
    const auto front = spill->front();
    spill->pop(**front);
    EXPECT_EQ(spill->left().rows, 27U);
  }
  const auto spill = open_spill(options);
  EXPECT_EQ(spill->writer().name(), name);
  EXPECT_GT(spill->writer().next_number(), first);
  EXPECT_EQ(spill->left().rows, 30U) << "which ones the table has is known to the table";
  ASSERT_TRUE(is_done(spill->add(batch_of(11))));
  EXPECT_EQ(numbers_in(*spill), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(spill->bytes(), 0U);
  EXPECT_EQ(spill->left(), Tally());
}

TEST(Spill, KeepsWhatIsWholeWhereverALastBatchIsTorn) {
  TempFolder folder;
  const Spill::Options options{.folder = folder / "spill"};
  uint64_t whole = 0;
  {
    const auto spill = open_spill(options);
    ASSERT_TRUE(is_done(spill->add(batch_of(1))));
    ASSERT_TRUE(is_done(spill->add(batch_of(2))));
    whole = spill->bytes();
    ASSERT_TRUE(is_done(spill->add(batch_of(3))));
  }
  const std::filesystem::path file = only_file(folder);
  const uint64_t all = std::filesystem::file_size(file);
  for (uint64_t size = all - 1; size >= whole; size -= 7) {
    std::filesystem::resize_file(file, size);
    const auto spill = open_spill(options);
    EXPECT_EQ(spill->cut_bytes(), size - whole);
    EXPECT_EQ(spill->left().rows, 6U);
    EXPECT_EQ(std::filesystem::file_size(file), whole);
    std::filesystem::resize_file(file, size);
  }
  EXPECT_EQ(numbers_in(*open_spill(options)), (std::vector<int64_t>{1, 2}));
}

TEST(Spill, FindsABatchThatTheDiskChanged) {
  TempFolder folder;
  const Spill::Options options{.folder = folder / "spill"};
  {
    const auto spill = open_spill(options);
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(is_done(spill->add(batch_of(i))));
  }
  const std::filesystem::path file = only_file(folder);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
  bytes.put('!');
  bytes.close();
  const auto spill = open_spill(options);
  EXPECT_GT(spill->cut_bytes(), 0U);
  EXPECT_EQ(numbers_in(*spill), (std::vector<int64_t>{1}));
}

TEST(Spill, ItsBoundDropsTheOldestAndCountsThem) {
  TempFolder folder;
  const auto spill = open_spill({.folder = folder / "spill", .bytes = 64 << 10});
  Tally dropped;
  for (int i = 1; i <= 500; ++i) {
    const auto kept = spill->add(batch_of(i));
    ASSERT_TRUE(is_done(kept));
    dropped += *kept;
    EXPECT_LE(spill->bytes(), 64U << 10);
  }
  EXPECT_GT(dropped.rows, 0U);
  EXPECT_EQ(dropped.rows + spill->left().rows, 1'500U);
  EXPECT_EQ(dropped.rejections + spill->left().rejections, 3'000U);
  EXPECT_GT(spill->bytes(), 56U << 10) << "more than a file was dropped at once";
  const auto numbers = numbers_in(*spill);
  EXPECT_EQ(numbers.back(), 500);
  EXPECT_EQ(numbers.front(), 500 - static_cast<int64_t>(numbers.size()) + 1);
}

TEST(Spill, ItsBoundMayRefuseTheNewestInstead) {
  TempFolder folder;
  const auto spill = open_spill({.folder = folder / "spill", .bytes = 4 << 10, .drop = Drop::kNewest});
  int64_t kept = 0;
  for (int i = 1; i <= 100; ++i) {
    const auto outcome = spill->add(batch_of(i));
    if (outcome) {
      kept = i;
    } else {
      EXPECT_EQ(outcome.fault().trouble, sql::Trouble::kFull);
    }
  }
  const auto numbers = numbers_in(*spill);
  EXPECT_EQ(numbers.front(), 1);
  EXPECT_EQ(numbers.back(), kept);
  EXPECT_EQ(static_cast<int64_t>(numbers.size()), kept);
}

TEST(Spill, ABatchBeyondTheBoundIsRefused) {
  TempFolder folder;
  const auto spill = open_spill({.folder = folder / "spill", .bytes = 1 << 10});
  EXPECT_TRUE(fails_with(spill->add(batch_of(1, 100)), sql::Trouble::kFull, "bound"));
  EXPECT_TRUE(spill->empty());
}

TEST(Spill, ADiskThatTakesNoMoreLeavesWhatItHas) {
  TempFolder folder;
  const Spill::Options options{.folder = folder / "spill"};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  {
    const auto spill = open_spill(options);
    ASSERT_TRUE(is_done(spill->add(batch_of(1))));
    rlimit small = before;
    small.rlim_cur = spill->bytes() + 50;
    setrlimit(RLIMIT_FSIZE, &small);
    const auto refused = spill->add(batch_of(2));
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_FALSE(refused);
    EXPECT_EQ(spill->left().rows, 3U);
    ASSERT_TRUE(is_done(spill->add(batch_of(3))));
  }
  EXPECT_EQ(numbers_in(*open_spill(options)), (std::vector<int64_t>{1, 3}));
}

TEST(Spill, SaysWhereItsFolderCannotBe) {
  TempFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_TRUE(fails_with(Spill::open({.folder = folder / "file/spill"}), sql::Trouble::kBroken, "cannot make"));
  EXPECT_FALSE(Spill::open({.folder = folder / "none/spill"}));
}

TEST(Spill, AFolderIsForOneProcessAtATime) {
  TempFolder folder;
  const auto spill = open_spill({.folder = folder / "spill"});
  const auto second = Spill::open({.folder = folder / "spill"});
  ASSERT_TRUE(fails_with(second, sql::Trouble::kBusy, "lock"));
  EXPECT_NE(second.fault().hint, "");
}

TEST(WriterName, NumbersGoOnAfterARestartAndFromAnOldCopyOfTheFolder) {
  TempFolder folder;
  std::string name;
  const auto latest = [&] {
    auto writer = WriterName::load(folder.path());
    EXPECT_TRUE(is_done(writer));
    name = writer->name();
    writer->next_number();
    return writer->next_number();
  };
  const int64_t first = latest();
  const std::string first_name = name;
  EXPECT_GT(latest(), first);
  std::ofstream(folder / "writer") << name << " 5\n";
  EXPECT_GT(latest(), first);
  EXPECT_EQ(name, first_name);
  std::ofstream(folder / "writer") << "cut off";
  latest();
  EXPECT_NE(name, first_name) << "a name that is lost must not go on under numbers that are lost too";
}

}  // namespace
}  // namespace sluice::audit
