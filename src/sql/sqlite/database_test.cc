#include "sql/sqlite/database.h"

#include "sql/sqlite/children_testing.h"
#include "sql/sqlite/migrations.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::sql::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr Options kReading{.access = Access::kReadOnly};

class Opening : public ::testing::Test {
 protected:
  // The folder may be searched, but not written.
  void let_all_read() {
    fs::permissions(folder_.path(), fs::perms(0755));
    for (const char* end : {"", "-wal", "-shm"}) {
      if (fs::exists(file_ + end)) fs::permissions(file_ + end, fs::perms(0644));
    }
  }

  TempFolder folder_;
  const std::string file_ = folder_ / "sluice.db";
};

int trouble_of(const Outcome<std::unique_ptr<Database>>& outcome) {
  return outcome ? -1 : static_cast<int>(outcome.fault().trouble);
}

int last_batch_as_read(const std::string& file) {
  auto reader = open_migrated(file, kReading);
  if (!reader) return 1;
  auto number = (*reader)->number("SELECT last_batch FROM rate_limit_writer");
  return number ? static_cast<int>(*number) : 2;
}

TEST_F(Opening, AFileThatIsNoDatabaseIsNamedAndLeftAsItIs) {
  const std::string text = std::string(5'000, 'x');
  std::ofstream(file_) << text;
  EXPECT_TRUE(fails_with(open_migrated(file_, {}), Trouble::kBroken, "sluice.db is not a SQLite database"));
  EXPECT_TRUE(fails_with(open_migrated(file_, kReading), Trouble::kBroken, "sluice.db is not a SQLite database"));
  EXPECT_EQ(fs::file_size(file_), text.size());
}

TEST_F(Opening, AFolderIsNoFile) {
  EXPECT_TRUE(fails_with(open_migrated(folder_.path(), {}), Trouble::kBroken, "is a folder"));
}

TEST_F(Opening, OnlyTheLastFolderIsMade) {
  EXPECT_TRUE(is_done(open_migrated(folder_ / "data/sluice.db", {})));
  EXPECT_TRUE(fails_with(open_migrated(folder_ / "a/b/sluice.db", {}), Trouble::kAway, "there is no folder"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  std::ofstream{folder_ / "plain"};
  EXPECT_TRUE(fails_with(open_migrated(folder_ / "plain/sluice.db", {}), Trouble::kAway, "there is no folder"));
}

TEST_F(Opening, WhatIsMadeIsForItsOwnerOnly) {
  const std::string file = folder_ / "data/sluice.db";
  auto opened = open_migrated(file, {});
  ASSERT_TRUE(is_done(opened));
  EXPECT_EQ(fs::status(folder_ / "data").permissions(), fs::perms(0700));
  for (const char* end : {"", "-wal", "-shm"}) EXPECT_EQ(fs::status(file + end).permissions(), fs::perms(0600)) << end;
}

TEST_F(Opening, WhatIsThereKeepsItsRights) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  fs::permissions(file_, fs::perms(0640));
  auto opened = open_migrated(file_, {});
  ASSERT_TRUE(is_done(opened));
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0640));
  EXPECT_EQ(fs::status(file_ + "-wal").permissions(), fs::perms(0640));
}

TEST_F(Opening, AFileThatShouldBeThereIsNotMadeAnew) {
  constexpr Options kExisting{.access = Access::kWriteExisting};
  EXPECT_TRUE(fails_with(open_migrated(file_, kExisting), Trouble::kAway, "is not there any more"));
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(is_done(open_migrated(file_, {})));
  EXPECT_TRUE(is_done(open_migrated(file_, kExisting)));
}

TEST_F(Opening, NamesThatSqliteGivesAMeaningAreOnlyNames) {
  EXPECT_TRUE(fails_with(open_migrated("", {}), Trouble::kBroken, "no file is named"));
  EXPECT_TRUE(fails_with(open_migrated(std::string("a\0b", 3), {}), Trouble::kBroken, "zero byte"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_TRUE(is_done(open_migrated(":memory:", {})));
  EXPECT_TRUE(is_done(open_migrated("file:x?mode=memory", {})));
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(folder_ / ":memory:"));
  EXPECT_TRUE(fs::exists(folder_ / "file:x?mode=memory"));
}

TEST_F(Opening, AFileThatMayNotBeWrittenIsToldAtOnceAndCanBeRead) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  fs::permissions(file_, fs::perms(0444));
  fs::permissions(folder_.path(), fs::perms(0755));
  EXPECT_EQ(as_nobody([&] { return trouble_of(open_migrated(file_, {})); }), static_cast<int>(Trouble::kReadOnly));
  EXPECT_EQ(as_nobody([&] { return open_migrated(file_, kReading) ? 7 : 0; }), 7);
}

TEST_F(Opening, WhatOthersAreWritingCanBeReadByWhoMayOnlyRead) {
  auto writer = open_migrated(file_, {});
  ASSERT_TRUE(is_done(writer));
  ASSERT_TRUE(is_done((*writer)->execute("INSERT INTO rate_limit_writer (writer, last_batch) VALUES ('a', 42)")));
  let_all_read();
  EXPECT_EQ(as_nobody([&] { return last_batch_as_read(file_); }), 42);
}

TEST_F(Opening, WhatAKilledWriterLeftCanBeReadByWhoMayOnlyRead) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  let_all_read();
  {
    Child writer([&] {
      auto opened = open_migrated(file_, {});
      if (!opened) return 1;
      auto written = (*opened)->execute("INSERT INTO rate_limit_writer (writer, last_batch) VALUES ('a', 42)");
      return written ? kill(getpid(), SIGKILL) : 2;
    });
    EXPECT_EQ(writer.exit_status(), -1) << "it was to be killed";
  }
  ASSERT_TRUE(fs::exists(file_ + "-wal"));
  EXPECT_EQ(as_nobody([&] { return last_batch_as_read(file_); }), 42);
}

// The reader is somebody else, in a folder where it may make no log: it tells us of itself by what it returns.
TEST_F(Opening, WhatOthersChangeLaterIsReadByWhoMayOnlyRead) {
  const auto write = [&](int number) {
    auto writer = open_migrated(file_, {});
    const std::string text = "INSERT OR REPLACE INTO rate_limit_writer (writer, last_batch) VALUES ('a', ";
    return writer && (*writer)->execute((text + std::to_string(number) + ")").c_str());
  };
  ASSERT_TRUE(write(41));
  let_all_read();
  int go[2];
  int ready[2];
  ASSERT_EQ(pipe(go) | pipe(ready), 0);
  Child reader([&] {
    char byte = 0;
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return kNotPermitted;
    auto opened = open_migrated(file_, kReading);
    if (!opened) return 1;
    auto before = (*opened)->number("SELECT last_batch FROM rate_limit_writer");
    if (!before || *before != 41) return 2;
    if (!(*opened)->check_in_place() || ::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 1) return 3;
    if (!(*opened)->check_in_place()) return 4;
    auto after = (*opened)->number("SELECT last_batch FROM rate_limit_writer");
    return after ? static_cast<int>(*after) : 5;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_TRUE(write(42));
  ASSERT_EQ(::write(go[1], &byte, 1), 1);
  EXPECT_EQ(reader.exit_status(), 42);
}

TEST_F(Opening, AFolderThatMayNotBeWrittenIsToldAtOnce) {
  fs::create_directory(folder_ / "closed");
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(folder_ / "closed", fs::perms(0555));
  const std::string file = folder_ / "closed/sluice.db";
  EXPECT_EQ(as_nobody([&] { return trouble_of(open_migrated(file, {})); }), static_cast<int>(Trouble::kReadOnly));
  const std::string deeper = folder_ / "closed/data/sluice.db";
  EXPECT_EQ(as_nobody([&] { return trouble_of(open_migrated(deeper, {})); }), static_cast<int>(Trouble::kReadOnly));
}

TEST_F(Opening, AFileThatMayNotBeReadIsToldAtOnce) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  fs::permissions(file_, fs::perms(0600));
  fs::permissions(folder_.path(), fs::perms(0755));
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file that this test may not read";
  EXPECT_EQ(as_nobody([&] { return trouble_of(open_migrated(file_, {})); }), static_cast<int>(Trouble::kReadOnly));
}

TEST_F(Opening, ADamagedFileIsToldWithWhatToDo) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 8; ++page) {
      file.seekp(page * 4096);
      file << std::string(4096, '\x5a');
    }
  }
  auto opened = open_migrated(file_, {});
  const auto outcome = opened ? (*opened)->execute(
                                    "SELECT * FROM rate_limit_rule; SELECT * FROM rate_limit_change;"
                                    "INSERT INTO rate_limit_writer VALUES ('x', 1, '')")
                              : Outcome<Done>(opened.fault());
  ASSERT_TRUE(fails_with(outcome, Trouble::kBroken, "is damaged"));
  EXPECT_NE(outcome.fault().hint.find("backup"), std::string::npos);
}

TEST_F(Opening, AFileThatWasMovedAwayIsNoticed) {
  auto opened = open_migrated(file_, {});
  ASSERT_TRUE(is_done(opened));
  EXPECT_TRUE(is_done((*opened)->check_in_place()));
  fs::rename(file_, file_ + ".old");
  EXPECT_TRUE(fails_with((*opened)->check_in_place(), Trouble::kAway, "moved or deleted"));
}

}  // namespace
}  // namespace sluice::sql::sqlite
