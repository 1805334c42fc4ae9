#include "rules/file/file_watch.h"

#include <fcntl.h>

#include "rules/file/files_testing.h"

namespace sluice::rules {
namespace {

// The poll is far away, so that what is told was told by an event.
constexpr FileWatch::Options kByEvents{20ms, 400ms, 1h};
// Long enough for an event that would be told wrongly.
constexpr auto kNothingComes = 150ms;

class FileWatched : public ::testing::Test {
 protected:
  TempFolder folder_;
  const std::string file_ = folder_ / "rules.json";
};

TEST_F(FileWatched, NothingIsToldWhileNothingHappens) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  EXPECT_TRUE(watch.has_inotify());
  EXPECT_FALSE(tells_change(watch, kNothingComes));
}

TEST_F(FileWatched, AWriteInPlaceIsToldOnce) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  write_in_place(file_, "two");
  EXPECT_TRUE(tells_change(watch));
  EXPECT_FALSE(tells_change(watch, kNothingComes));
}

TEST_F(FileWatched, AWriteThatLeavesTheIdentityIsTold) {
  write_in_place(file_, "one");
  const auto before = fs::last_write_time(file_);
  FileWatch watch({file_}, kByEvents);
  write_in_place(file_, "two");
  fs::last_write_time(file_, before);
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AnAtomicReplacementIsToldAndSoIsWhatComesAfterIt) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  for (int i = 0; i < 3; ++i) {
    replace(file_, "swap " + std::to_string(i));
    EXPECT_TRUE(tells_change(watch)) << i;
    write_in_place(file_, "write " + std::to_string(i));
    EXPECT_TRUE(tells_change(watch)) << i;
  }
}

TEST_F(FileWatched, EverySwapOfAConfigMapIsTold) {
  ConfigMapVolume volume(folder_ / "config");
  volume.publish("one");
  FileWatch watch({volume.file()}, kByEvents);
  for (int i = 0; i < 3; ++i) {
    volume.publish("swap " + std::to_string(i));
    EXPECT_TRUE(tells_change(watch)) << i;
  }
}

TEST_F(FileWatched, DeletingAndCreatingAgainAreBothTold) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  fs::remove(file_);
  EXPECT_TRUE(tells_change(watch));
  write_in_place(file_, "one");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, APathNotThereAtTheStartIsToldOnceItIsWithAllItsFolders) {
  const std::string file = folder_ / "a/b/c/rules.json";
  FileWatch watch({file}, kByEvents);
  fs::create_directories(folder_ / "a/b/c");
  write_in_place(file, "one");
  EXPECT_TRUE(tells_change(watch));
  write_in_place(file, "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AReplacedFolderIsTold) {
  fs::create_directories(folder_ / "a/b");
  fs::create_directories(folder_ / "next/b");
  write_in_place(folder_ / "a/b/rules", "one");
  write_in_place(folder_ / "next/b/rules", "two");
  FileWatch watch({folder_ / "a/b/rules"}, kByEvents);
  fs::rename(folder_ / "a", folder_ / "old");
  fs::rename(folder_ / "next", folder_ / "a");
  EXPECT_TRUE(tells_change(watch));
  write_in_place(folder_ / "old/b/rules", "nobody looks here any more");
  EXPECT_FALSE(tells_change(watch, kNothingComes));
  write_in_place(folder_ / "a/b/rules", "three");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AFolderRemovedAndMadeAgainIsTold) {
  fs::create_directories(folder_ / "a");
  write_in_place(folder_ / "a/rules", "one");
  FileWatch watch({folder_ / "a/rules"}, kByEvents);
  fs::remove_all(folder_ / "a");
  EXPECT_TRUE(tells_change(watch));
  fs::create_directories(folder_ / "a");
  write_in_place(folder_ / "a/rules", "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AChangeThroughAnotherHardLinkIsTold) {
  fs::create_directories(folder_ / "elsewhere");
  write_in_place(file_, "one");
  fs::create_hard_link(file_, folder_ / "elsewhere/same");
  FileWatch watch({file_}, kByEvents);
  write_in_place(folder_ / "elsewhere/same", "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, OtherFilesOfTheFolderAreNotTold) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  write_in_place(folder_ / "rules.json.swp", "x");
  replace(folder_ / "other", "x");
  fs::remove(folder_ / "other");
  EXPECT_FALSE(tells_change(watch, kNothingComes));
}

TEST_F(FileWatched, OneOfSeveralPathsIsEnough) {
  write_in_place(folder_ / "a", "1");
  write_in_place(folder_ / "b", "1");
  FileWatch watch({folder_ / "a", folder_ / "b"}, kByEvents);
  write_in_place(folder_ / "b", "2");
  EXPECT_TRUE(tells_change(watch));
  replace(folder_ / "a", "2");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, ARelativePathIsThatOfTheFolderAtTheStart) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / ".");
  write_in_place("relative", "one");
  FileWatch watch({"relative"}, kByEvents);
  fs::current_path(before);
  replace(folder_ / "relative", "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AWriterWhoKeepsTheFileOpenIsWaitedForButNotForEver) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, {5ms, 300ms, 1h});
  const Descriptor file(open(file_.c_str(), O_WRONLY | O_TRUNC));
  ASSERT_EQ(write(file.get(), "half", 4), 4);
  const auto started = std::chrono::steady_clock::now();
  EXPECT_TRUE(tells_change(watch));
  EXPECT_GE(std::chrono::steady_clock::now() - started, 290ms);
}

TEST_F(FileWatched, AWriterWhoClosesTheFileIsNotWaitedForLongerThanTheQuiet) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, {5ms, 1h, 1h});
  write_in_place(file_, "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, WritesWithoutAPauseAreToldAfterTheLongestWait) {
  write_in_place(file_, "one");
  FileWatch watch({file_}, {1h, 100ms, 1h});
  write_in_place(file_, "two");
  EXPECT_TRUE(tells_change(watch));
}

TEST_F(FileWatched, AQueueOfEventsThatOverflowsIsToldAsAChange) {
  size_t longest_queue = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> longest_queue;
  if (longest_queue == 0 || longest_queue > 100'000) GTEST_SKIP() << "the queue is too long to fill";
  write_in_place(file_, "one");
  FileWatch watch({file_}, kByEvents);
  for (size_t i = 0; i < longest_queue; ++i) {
    write_in_place(folder_ / ("noise" + std::to_string(i)), "");
    fs::remove(folder_ / ("noise" + std::to_string(i)));
  }
  replace(file_, "two");
  EXPECT_TRUE(tells_change(watch));
}

// As on a network file system, whose changes elsewhere make no events here.
TEST_F(FileWatched, WithoutInotifyThePollFindsEveryKindOfChange) {
  ConfigMapVolume volume(folder_ / "config");
  FileWatch watch({volume.file(), file_}, {5ms, 400ms, 10ms, false});
  EXPECT_FALSE(watch.has_inotify());
  EXPECT_FALSE(tells_change(watch, kNothingComes));
  volume.publish("one");
  EXPECT_TRUE(tells_change(watch));
  volume.publish("two");
  EXPECT_TRUE(tells_change(watch));
  write_in_place(file_, "one");
  EXPECT_TRUE(tells_change(watch));
  write_in_place(file_, "longer");
  EXPECT_TRUE(tells_change(watch));
  fs::remove(file_);
  EXPECT_TRUE(tells_change(watch));
  EXPECT_FALSE(tells_change(watch, kNothingComes));
}

TEST_F(FileWatched, AFileThatBecomesReadableIsTold) {
  write_in_place(file_, "one");
  fs::permissions(file_, fs::perms(0));
  FileWatch watch({file_}, kByEvents);
  fs::permissions(file_, fs::perms(0644));
  EXPECT_TRUE(tells_change(watch));
}

}  // namespace
}  // namespace sluice::rules
