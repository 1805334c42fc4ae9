#include "rules/file/path_trail.h"

#include <gmock/gmock.h>

#include <vector>

#include "rules/file/files_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Keeps what is below the test's own folder, in order.
class Recorder : public TrailWatcher {
 public:
  explicit Recorder(std::string root) : root_(std::move(root)) {}

  void watch_entry(const std::string& folder, const std::string& name) override { note("entry", folder + "/" + name); }
  bool watch_folder(const std::string& folder) override {
    note("folder", folder);
    return true;
  }
  void watch_file(const std::string& file) override { note("file", file); }

  std::vector<std::string> notes;
  size_t outside = 0;

 private:
  void note(const std::string& kind, const std::string& path) {
    if (!path.starts_with(root_ + "/")) {
      ++outside;
      return;
    }
    notes.push_back(kind + " " + path.substr(root_.size() + 1));
  }

  std::string root_;
};

class PathTrail : public ::testing::Test {
 protected:
  std::vector<std::string> trail(const std::string& path) {
    Recorder recorder(fs::path(folder_ / "x").parent_path().string());
    walk_trail(path, recorder);
    return recorder.notes;
  }

  TempFolder folder_;
};

TEST_F(PathTrail, LeadsThroughEveryFolderToTheFile) {
  fs::create_directories(folder_ / "a/b");
  write_in_place(folder_ / "a/b/rules", "x");
  EXPECT_THAT(trail(folder_ / "a//./b/rules"),
              ElementsAre("folder a", "folder a/b", "entry a/b/rules", "file a/b/rules"));
}

TEST_F(PathTrail, EndsAtTheFirstNameThatIsMissing) {
  fs::create_directories(folder_ / "a");
  EXPECT_THAT(trail(folder_ / "a/b/rules"), ElementsAre("folder a", "entry a/b"));
}

TEST_F(PathTrail, EndsAtAFileThatStandsWhereAFolderShould) {
  write_in_place(folder_ / "a", "x");
  EXPECT_THAT(trail(folder_ / "a/rules"), ElementsAre("entry a", "file a"));
}

TEST_F(PathTrail, GoesThroughBothSymlinksOfAConfigMap) {
  ConfigMapVolume volume(folder_ / "config");
  volume.publish("x");
  const std::string stamp = "config/..2026_11_15_10_00_00.1";
  EXPECT_THAT(trail(volume.file()),
              ElementsAre("folder config", "entry config/rules.yaml", "entry config/..data", "folder " + stamp,
                          "entry " + stamp + "/rules.yaml", "file " + stamp + "/rules.yaml"));
}

TEST_F(PathTrail, FollowsAbsoluteSymlinksAndParentsByWhatTheyReallyAre) {
  fs::create_directories(folder_ / "real/deep");
  write_in_place(folder_ / "real/rules", "x");
  fs::create_directory_symlink(folder_ / "real/deep", folder_ / "link");
  // By names alone this would be `rules` beside the link.
  EXPECT_THAT(trail(folder_ / "link/../rules"),
              ElementsAre("entry link", "folder real", "folder real/deep", "entry real/rules", "file real/rules"));
}

TEST_F(PathTrail, StopsInALoopOfSymlinks) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_THAT(trail(folder_ / "a"), SizeIs(41));
}

TEST_F(PathTrail, SurvivesParentsAboveTheRoot) {
  Recorder recorder(folder_ / "nothing");
  walk_trail("/../../..", recorder);
  EXPECT_THAT(recorder.notes, IsEmpty());
  EXPECT_EQ(recorder.outside, 0u);
}

}  // namespace
}  // namespace sluice::rules
