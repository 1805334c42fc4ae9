#include "rules/language/rules_folder.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "rules/language/folder_testing.h"

namespace sluice::rules {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RulesFolder : public InAFolder {
 protected:
  std::vector<std::string> names() const {
    const RulesFiles files = rules_files_at(folder_.string());
    EXPECT_TRUE(files.is_folder);
    EXPECT_EQ(files.trouble, "");
    std::vector<std::string> names;
    for (const std::string& file : files.paths) {
      EXPECT_EQ(fs::path(file).parent_path(), folder_);
      names.push_back(fs::path(file).filename().string());
    }
    return names;
  }
  std::string trouble() const {
    const RulesFiles files = rules_files_at(folder_.string());
    EXPECT_TRUE(files.is_folder);
    EXPECT_THAT(files.paths, IsEmpty());
    return files.trouble;
  }
};

TEST_F(RulesFolder, StandsForItsFilesInTheOrderOfTheirNames) {
  for (const char* name : {"b.yaml", "9.json", "10.json", "B.yaml", "a.yml"}) write(name, "x");
  EXPECT_THAT(names(), ElementsAre("10.json", "9.json", "B.yaml", "a.yml", "b.yaml"));
}

TEST_F(RulesFolder, HiddenFilesOtherNamesAndFoldersDoNotCount) {
  write("a.json", "x");
  for (const char* name : {".b.json", "c.json~", "d.yaml.bak", "README.md", "json", "e.JSON", "..data_tmp.yaml"}) {
    write(name, "x");
  }
  fs::create_directory(path("folder.yaml"));
  write("folder.yaml/inside.yaml", "x");
  fs::create_directory_symlink("folder.yaml", path("link.yaml"));
  EXPECT_THAT(names(), ElementsAre("a.json"));
}

TEST_F(RulesFolder, SymlinksToFilesCountAndSoDoThoseThatLeadNowhere) {
  write(".hidden", "x");
  fs::create_symlink(".hidden", path("a.yaml"));
  fs::create_symlink("gone", path("b.yaml"));
  EXPECT_THAT(names(), ElementsAre("a.yaml", "b.yaml"));
}

TEST_F(RulesFolder, WithoutRulesSaysWhatWasLookedFor) {
  write("README.md", "x");
  EXPECT_EQ(
      trouble(),
      "the folder has no rules: no file in it ends in .json, .yaml or .yml, and hidden files and folders in it do "
      "not count");
}

TEST_F(RulesFolder, OfMoreThanAThousandFilesIsRefused) {
  for (int i = 0; i < 1'000; ++i) write(std::to_string(i) + ".json", "");
  EXPECT_THAT(names(), SizeIs(1'000));
  write("one.json", "");
  EXPECT_EQ(trouble(), "the folder has more than 1000 files that end in .json, .yaml or .yml");
}

TEST_F(RulesFolder, OfMoreBytesThanOneFileMayHaveIsRefused) {
  const std::string half(size_t{8} << 20, ' ');
  write("a.json", half);
  write("b.json", half);
  EXPECT_TRUE(std::holds_alternative<std::vector<RulesText>>(read_rules(folder_.string())));
  write("c.json", " ");
  EXPECT_EQ(std::get<std::string>(read_rules(folder_.string())),
            "the files of the folder have more than 16777216 bytes together");
}

TEST_F(RulesFolder, WhatIsNoFolderStandsForItself) {
  const std::string file = write("anything", "text");
  EXPECT_THAT(rules_files_at(file).paths, ElementsAre(file));
  EXPECT_FALSE(rules_files_at(file).is_folder);
  EXPECT_THAT(rules_files_at(path("none")).paths, ElementsAre(path("none")));
  const auto texts = std::get<std::vector<RulesText>>(read_rules(file));
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_EQ(texts[0].file, file);
  EXPECT_EQ(std::get<std::string>(texts[0].content), "text");
}

// As Kubernetes does it: two files that always agree, led to by one symlink that is exchanged again and again.
TEST_F(RulesFolder, FilesThatAreExchangedTogetherAreReadTogether) {
  for (const std::string stamp : {"..1", "..2"}) {
    fs::create_directory(path(stamp));
    for (const char* name : {"/a.json", "/b.json"}) write(stamp + name, stamp);
  }
  fs::create_symlink("..1", path("..data"));
  for (const std::string name : {"a.json", "b.json"}) fs::create_symlink("..data/" + name, path(name));
  std::atomic<bool> is_done = false;
  std::thread swapper([&] {
    for (int i = 0; i < 100; ++i) {
      fs::create_symlink(i % 2 == 0 ? "..2" : "..1", path("..data_tmp"));
      fs::rename(path("..data_tmp"), path("..data"));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    is_done = true;
  });
  while (!is_done) {
    const auto texts = std::get<std::vector<RulesText>>(read_rules(folder_.string()));
    EXPECT_EQ(texts.at(0).content, texts.at(1).content);
  }
  swapper.join();
}

}  // namespace
}  // namespace sluice::rules
