#include "audit/writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "audit/audit_testing.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::audit {
namespace {

using namespace std::chrono_literals;
using sql::sqlite::TempFolder;

int64_t unix_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A file, two ledgers and a writer between them that does not let anybody wait.
class WriterUnderTest {
 public:
  explicit WriterUnderTest(bool spills = true) {
    options.interval = 10ms;
    options.rows_per_second = 1'000'000;
    options.back_off = {5ms, 20ms};
    if (spills) options.spill = Spill::Options{.folder = folder / "spill"};
  }

  void start() { writer = std::make_unique<Writer>(Writer::Ports{{&one, &two}, opener(file, weather)}, options); }
  std::vector<Violation> stored() const { return stored_rows(file); }
  // What was not dropped is in the table.
  uint64_t stored_rejections() const { return tally_of(stored()).rejections; }

  TempFolder folder;
  const std::string file = folder / "violations.db";
  Ledger one;
  Ledger two;
  std::shared_ptr<Weather> weather = std::make_shared<Weather>();
  WriterOptions options;
  std::unique_ptr<Writer> writer;
};

TEST(Writer, BringsARowOfEachKeyToTheTable) {
  WriterUnderTest sut;
  sut.start();
  note(sut.one, "a", unix_us());
  note(sut.one, std::string("b\0c", 3), unix_us());
  note(sut.two, "a", unix_us());
  ASSERT_TRUE(eventually([&] { return sut.writer->status().written.rows == 3; }));
  const auto counts = counts_of(sut.stored());
  EXPECT_EQ(counts.at("a"), 2U);
  EXPECT_EQ(counts.at(std::string("b\0c", 3)), 1U);
  EXPECT_EQ(sut.writer->status().spilled, Tally());
}

TEST(Writer, KeepsTheRowThatTheRuleWasFromWhenItRejected) {
  WriterUnderTest sut;
  sut.start();
  {
    Ledger::Pen pen(sut.one);
    pen.note(pen.subject("k", 1), unix_us(), [] {
      return Rejection{.bucket_key = "k",
                       .policy = "p",
                       .rule = "r",
                       .reason = "kill_switch",
                       .is_shadow = true,
                       .rule_id = int64_t{1} << 40};
    });
    pen.note(pen.subject("of a file", 1), unix_us(),
             [] { return Rejection{.bucket_key = "of a file", .policy = "p", .rule = "r", .reason = "kill_switch"}; });
  }
  sut.writer->stop(30s);
  auto rows = sut.stored();
  ASSERT_EQ(rows.size(), 2U);
  if (rows[0].bucket_key != "k") std::swap(rows[0], rows[1]);
  EXPECT_EQ(rows[0].rule_id, int64_t{1} << 40);
  EXPECT_EQ(rows[0].reason, "kill_switch");
  EXPECT_TRUE(rows[0].is_shadow);
  EXPECT_EQ(rows[1].rule_id, std::nullopt);
}

TEST(Writer, AFloodOfOneKeyMakesFewRowsWhoseCountsAddUp) {
  WriterUnderTest sut;
  sut.options.interval = 100ms;
  sut.start();
  constexpr int kNotes = 300'000;
  std::thread first([&] {
    for (int i = 0; i < kNotes; ++i) note(sut.one, "flood", unix_us());
  });
  for (int i = 0; i < kNotes; ++i) note(sut.two, "flood", unix_us());
  first.join();
  sut.writer->stop(30s);
  const auto rows = sut.stored();
  EXPECT_EQ(tally_of(rows).rejections, 2U * kNotes);
  EXPECT_LT(rows.size(), 2'000U);
  EXPECT_EQ(sut.writer->status().noted, 2U * kNotes);
}

TEST(Writer, WhatNoRowStandsForIsCounted) {
  TempFolder folder;
  Ledger small({.rows = 50});
  const auto weather = std::make_shared<Weather>();
  WriterOptions options;
  Writer writer({{&small}, opener(folder / "v.db", weather)}, options);
  for (int i = 0; i < 1'000; ++i) note(small, "key:" + std::to_string(i), unix_us());
  writer.stop(30s);
  const WriterStatus status = writer.status();
  const Tally stored = tally_of(stored_rows(folder / "v.db"));
  EXPECT_GE(stored.rows, 50U);
  EXPECT_EQ(stored.rejections + status.dropped_ledger_full, 1'000U);
  EXPECT_EQ(status.written, stored);
}

TEST(Writer, MoreRowsThanItMayWriteMakeTheNextWindowLonger) {
  WriterUnderTest sut;
  sut.options.rows_per_second = 1'000;
  sut.start();
  for (int i = 0; i < 2'000; ++i) note(sut.one, "key:" + std::to_string(i), unix_us());
  // All but what may be written at once waits for its turn, and so do those that come meanwhile.
  ASSERT_TRUE(eventually([&] { return sut.writer->status().written.rows >= 500; }));
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    note(sut.one, "later", unix_us());
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_TRUE(eventually([&] { return sut.writer->status().written.rejections == 2'050; }));
  EXPECT_GT(std::chrono::steady_clock::now() - before, 200ms);
  EXPECT_EQ(counts_of(sut.stored()).at("later"), 50U);
  EXPECT_LE(sut.stored().size(), 2'003U);
}

TEST(Writer, WhatATableThatIsAwayMissesIsThereOnceWhenItIsBack) {
  for (const bool spills : {true, false}) {
    WriterUnderTest sut(spills);
    sut.weather->is_away = true;
    sut.start();
    uint64_t noted = 0;
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 700; ++i, ++noted) note(sut.one, "key:" + std::to_string(i), unix_us());
      if (spills) {
        ASSERT_TRUE(eventually([&] { return sut.writer->status().spilled.rejections == noted; }));
      }
    }
    EXPECT_TRUE(eventually([&] { return sut.writer->status().is_away; }));
    EXPECT_EQ(sut.writer->status().last_error, "the table is away");
    // Then answers are lost: batches arrive, and are handed over again.
    sut.weather->loses_answers = true;
    sut.weather->is_away = false;
    ASSERT_TRUE(eventually([&] { return sut.weather->calls >= 3; }));
    sut.weather->loses_answers = false;
    ASSERT_TRUE(eventually([&] { return sut.stored_rejections() == noted; }));
    for (int i = 0; i < 100; ++i, ++noted) note(sut.two, "after", unix_us());
    sut.writer->stop(30s);
    EXPECT_EQ(sut.stored_rejections(), noted);
    EXPECT_EQ(sut.writer->status().spill_bytes, 0U);
    EXPECT_FALSE(sut.writer->status().is_away);
    EXPECT_EQ(counts_of(sut.stored()).at("key:699"), 5U);
  }
}

TEST(Writer, StopsInTimeWhileTheTableHangsAndTheNextOneWritesTheRest) {
  WriterUnderTest sut;
  sut.weather->set_hangs(true);
  sut.start();
  note(sut.one, "hangs", unix_us());
  ASSERT_TRUE(sut.weather->wait_for_hanging());
  for (int i = 0; i < 1'000; ++i) note(sut.two, "key:" + std::to_string(i), unix_us());
  const auto before = std::chrono::steady_clock::now();
  sut.writer->stop(1s);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(sut.writer->status().spilled.rejections, 1'001U);
  sut.writer = nullptr;
  // What hung goes through after all: its number makes that harmless.
  sut.weather->set_hangs(false);
  ASSERT_TRUE(eventually([&] { return sut.stored_rejections() == 1; }));
  sut.start();
  ASSERT_TRUE(eventually([&] { return sut.writer->status().written.rejections == 1'001; }));
  sut.writer->stop(30s);
  EXPECT_EQ(sut.stored_rejections(), 1'001U);
  EXPECT_EQ(sut.stored().size(), 1'001U);
}

TEST(Writer, WithNoTableAndNoSpillItCountsWhatItDropsAtTheEnd) {
  WriterUnderTest sut;
  std::ofstream(sut.folder / "file") << "x";
  sut.options.spill->folder = sut.folder / "file/spill";
  sut.weather->is_away = true;
  sut.start();
  for (int i = 0; i < 3'000; ++i) note(sut.one, "key:" + std::to_string(i % 1'000), unix_us());
  ASSERT_TRUE(eventually([&] { return sut.writer->status().is_spill_useless; }));
  const auto before = std::chrono::steady_clock::now();
  sut.writer->stop(2s);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(sut.writer->status().dropped_at_stop.rejections, 3'000U);
  EXPECT_EQ(sut.writer->status().written, Tally());
}

TEST(Writer, BeyondTheBoundOfTheSpillItCountsWhatItDrops) {
  for (const Drop drop : {Drop::kOldest, Drop::kNewest}) {
    WriterUnderTest sut;
    sut.options.spill->bytes = 64 << 10;
    sut.options.spill->drop = drop;
    sut.options.batch.rows = 20;
    sut.weather->is_away = true;
    sut.start();
    for (int i = 0; i < 3'000; ++i) note(sut.one, "key:" + std::to_string(i), unix_us());
    ASSERT_TRUE(eventually([&] {
      const WriterStatus status = sut.writer->status();
      return status.dropped_spill_full.rows > 0 && status.waiting.rows + status.dropped_spill_full.rows == 3'000;
    }));
    sut.weather->is_away = false;
    ASSERT_TRUE(eventually([&] {
      const WriterStatus status = sut.writer->status();
      return status.waiting.rows == 0 && status.written.rows + status.dropped_spill_full.rows == 3'000;
    }));
    sut.writer->stop(30s);
    const auto counts = counts_of(sut.stored());
    EXPECT_EQ(counts.size() + sut.writer->status().dropped_spill_full.rows, 3'000U);
    EXPECT_EQ(counts.contains("key:0"), drop == Drop::kNewest);
    // A last batch that is small may find room where others did not.
    int64_t sum = 0;
    for (const auto& [key, count] : counts) sum += std::stoi(key.substr(4));
    EXPECT_EQ(sum / static_cast<int64_t>(counts.size()) >= 1'500, drop == Drop::kOldest);
  }
}

TEST(Writer, ABatchThatTheTableRefusesDoesNotHoldUpTheNext) {
  WriterUnderTest sut;
  sut.weather->refuses = true;
  sut.start();
  note(sut.one, "bad", unix_us());
  ASSERT_TRUE(eventually([&] { return sut.writer->status().dropped_refused.rejections == 1; }));
  sut.weather->refuses = false;
  note(sut.one, "good", unix_us());
  ASSERT_TRUE(eventually([&] { return sut.writer->status().written.rejections == 1; }));
  EXPECT_EQ(counts_of(sut.stored()).count("bad"), 0U);
}

TEST(Writer, RemovesWhatIsTooOldOrTooMuch) {
  WriterUnderTest sut;
  sut.options.retention_interval = 20ms;
  sut.options.retention_piece = 10;
  sut.options.most_age = 3'600s;
  sut.options.most_rows = 40;
  sut.start();
  for (int i = 0; i < 100; ++i) note(sut.one, "old:" + std::to_string(i), unix_us() - 7'200'000'000);
  for (int i = 0; i < 100; ++i) note(sut.two, "new:" + std::to_string(i), unix_us());
  ASSERT_TRUE(eventually([&] { return sut.writer->status().removed_rows == 160; }));
  const auto rows = sut.stored();
  EXPECT_EQ(rows.size(), 40U);
  for (const Violation& row : rows) EXPECT_TRUE(row.bucket_key.starts_with("new:"));
}

// Writes until it is killed, half of the time with the table away; tells each rejection that is known to be kept.
[[noreturn]] void write_until_killed(const std::string& folder, int told) {
  Ledger ledger;
  const auto weather = std::make_shared<Weather>();
  WriterOptions options;
  options.interval = 1ms;
  options.rows_per_second = 1'000'000;
  options.batch.rows = 7;
  options.back_off = {1ms, 5ms};
  options.spill = Spill::Options{.folder = folder + "/spill"};
  Writer writer({{&ledger}, opener(folder + "/v.db", weather)}, options);
  // What those before it left comes first, and is not its own.
  note(ledger, "begins:" + std::to_string(getpid()), unix_us());
  while (!counts_of(stored_rows(folder + "/v.db")).contains("begins:" + std::to_string(getpid()))) {
    std::this_thread::yield();
  }
  const uint64_t before = writer.status().written.rows;
  for (uint64_t i = 0;; ++i) {
    weather->is_away = i % 8 < 4;
    for (int row = 0; row < 20; ++row) {
      note(ledger, std::to_string(getpid()) + ":" + std::to_string(i) + ":" + std::to_string(row), unix_us());
    }
    const uint64_t noted = (i + 1) * 20;
    const auto is_kept = [&] {
      const WriterStatus status = writer.status();
      return status.written.rows - before + status.waiting.rows >= noted;
    };
    while (!is_kept()) std::this_thread::yield();
    if (write(told, &i, sizeof(i)) != sizeof(i)) _exit(1);
  }
}

TEST(Writer, AfterKill9EverythingThatWasKeptIsThereAndNothingTwice) {
  TempFolder folder;
  std::set<std::string> kept;
  for (int round = 0; round < 4; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(folder.path(), pipe_ends[1]);
    close(pipe_ends[1]);
    uint64_t number = 0;
    for (int i = 0; i < 5 + 7 * round && read(pipe_ends[0], &number, sizeof(number)) == sizeof(number); ++i) {
      for (int row = 0; row < 20; ++row) {
        kept.insert(std::to_string(child) + ":" + std::to_string(number) + ":" + std::to_string(row));
      }
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    close(pipe_ends[0]);
  }
  Ledger ledger;
  WriterOptions options;
  options.spill = Spill::Options{.folder = folder / "spill"};
  options.rows_per_second = 1'000'000;
  options.interval = 10ms;
  const auto weather = std::make_shared<Weather>();
  Writer writer({{&ledger}, opener(folder / "v.db", weather)}, options);
  note(ledger, "the last", unix_us());
  kept.insert("the last");
  ASSERT_TRUE(eventually([&] { return counts_of(stored_rows(folder / "v.db")).contains("the last"); }));
  writer.stop(30s);
  std::set<std::string> found;
  for (const Violation& row : stored_rows(folder / "v.db")) {
    EXPECT_TRUE(found.insert(row.bucket_key).second) << row.bucket_key << " is there twice";
    EXPECT_EQ(row.count, 1U);
  }
  for (const std::string& key : kept) EXPECT_TRUE(found.contains(key)) << key;
  EXPECT_GE(kept.size(), 1'000U);
}

}  // namespace
}  // namespace sluice::audit
