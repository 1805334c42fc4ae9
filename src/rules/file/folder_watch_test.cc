// A FileWatch of a folder: which files are in it, and each of them.
#include <gtest/gtest.h>

#include "rules/file/file_watch.h"
#include "rules/file/files_testing.h"

namespace sluice::rules {
namespace {

// The poll is far away, so that what is told was told by an event.
constexpr FileWatch::Options kByEvents{20ms, 400ms, 1h};
// No events: as on a network file system.
constexpr FileWatch::Options kByPoll{20ms, 400ms, 10ms, false};
// Long enough for an event that would be told wrongly.
constexpr auto kNothingComes = 150ms;

class FolderWatched : public ::testing::TestWithParam<FileWatch::Options> {
 protected:
  FolderWatched() { fs::create_directory(folder_); }

  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  FileWatch watch() const { return FileWatch({folder_}, GetParam()); }

  TempFolder above_;
  const std::string folder_ = above_ / "rules.d";
};

TEST_P(FolderWatched, AFileThatComesIsWrittenIsRenamedOrGoesIsTold) {
  FileWatch watched = watch();
  EXPECT_FALSE(tells_change(watched, kNothingComes));
  write_in_place(in("a.yaml"), "one");
  EXPECT_TRUE(tells_change(watched));
  write_in_place(in("a.yaml"), "three");
  EXPECT_TRUE(tells_change(watched));
  replace(in("a.yaml"), "and two");
  EXPECT_TRUE(tells_change(watched));
  fs::rename(in("a.yaml"), in("b.yaml"));
  EXPECT_TRUE(tells_change(watched));
  fs::rename(in("b.yaml"), in("b.yaml.off"));
  EXPECT_TRUE(tells_change(watched));
  fs::rename(in("b.yaml.off"), in("b.yaml"));
  EXPECT_TRUE(tells_change(watched));
  fs::remove(in("b.yaml"));
  EXPECT_TRUE(tells_change(watched));
}

TEST_P(FolderWatched, EverySwapOfAConfigMapIsToldWithFilesThatComeAndGo) {
  ConfigMapVolume volume(folder_);
  volume.publish(ConfigMapVolume::Texts{{"a.yaml", "1"}});
  FileWatch watched = watch();
  volume.publish({{"a.yaml", "2"}, {"b.yaml", "2"}});
  EXPECT_TRUE(tells_change(watched));
  volume.publish({{"a.yaml", "2"}, {"b.yaml", "3"}});
  EXPECT_TRUE(tells_change(watched));
  volume.publish({{"b.yaml", "4"}, {"c.yaml", "4"}});
  EXPECT_TRUE(tells_change(watched));
}

TEST_P(FolderWatched, AFileBehindASymlinkIsToldWhereItReallyIs) {
  fs::create_directory(above_ / "elsewhere");
  write_in_place(above_ / "elsewhere/real", "one");
  fs::create_symlink("../elsewhere/real", in("a.yaml"));
  FileWatch watched = watch();
  write_in_place(above_ / "elsewhere/real", "another");
  EXPECT_TRUE(tells_change(watched));
}

TEST_P(FolderWatched, AnotherFolderInItsPlaceIsToldAndWatchedFromThenOn) {
  write_in_place(in("a.yaml"), "one");
  fs::create_directory(above_ / "next");
  write_in_place(above_ / "next/a.yaml", "another");
  FileWatch watched = watch();
  fs::rename(folder_, above_ / "old");
  fs::rename(above_ / "next", folder_);
  EXPECT_TRUE(tells_change(watched));
  write_in_place(above_ / "old/b.yaml", "nobody looks here any more");
  EXPECT_FALSE(tells_change(watched, kNothingComes));
  write_in_place(in("b.yaml"), "two");
  EXPECT_TRUE(tells_change(watched));
}

TEST_P(FolderWatched, AFolderThatIsNotThereAtTheStartIsToldOnceItHasRules) {
  fs::remove(folder_);
  FileWatch watched = watch();
  fs::create_directory(folder_);
  write_in_place(in("a.yaml"), "one");
  EXPECT_TRUE(tells_change(watched));
  write_in_place(in("b.yaml"), "one");
  EXPECT_TRUE(tells_change(watched));
}

TEST_P(FolderWatched, WhatIsNoRulesFileIsNotTold) {
  write_in_place(in("a.yaml"), "one");
  FileWatch watched = watch();
  write_in_place(in(".a.yaml.swp"), "x");
  write_in_place(in("a.yaml~"), "x");
  replace(in("README.md"), "x");
  EXPECT_FALSE(tells_change(watched, kNothingComes));
}

INSTANTIATE_TEST_SUITE_P(ByEvents, FolderWatched, ::testing::Values(kByEvents));
INSTANTIATE_TEST_SUITE_P(ByPoll, FolderWatched, ::testing::Values(kByPoll));

}  // namespace
}  // namespace sluice::rules
