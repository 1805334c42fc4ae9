// The Reloader with the real language: what a person who edits a rules file, or a folder of them, sees.
#include <gmock/gmock.h>

#include <mutex>

#include "rules/file/files_testing.h"
#include "rules/file/reloader.h"

namespace sluice::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string rules_with_burst(const std::string& burst) {
  return "rules:\n"
         "  - name: login\n"
         "    limit_keys: [ip:address]\n"
         "    algorithm_config: {rps: 1, burst: " +
         burst + "}\n";
}

TEST(ReloadingRules, AMistypedFileIsToldWithItsLineAndTheOldRulesStayUntilItIsMended) {
  TempFolder folder;
  ConfigMapVolume volume(folder / "config");
  volume.publish(rules_with_burst("5"));
  std::shared_ptr<const RuleSet> in_force;
  Reloader reloader({volume.file(), {}, false, {20ms, 400ms, 1h, true}}, load_file,
                    {[&](auto rules) { in_force = std::move(rules); }, nullptr});
  const auto capacity = [&] { return in_force->policies.at(0).rules.at(0).limits.at(0).capacity(); };
  ASSERT_TRUE(reloader.status().is_current);
  EXPECT_EQ(capacity(), Tokens::whole(5));

  volume.publish(rules_with_burst("0"));
  ASSERT_TRUE(comes_true([&] { return !reloader.status().is_current; }));
  EXPECT_EQ(capacity(), Tokens::whole(5));
  ASSERT_THAT(reloader.status().faults, SizeIs(1));
  EXPECT_THAT(describe(reloader.status().faults[0]), HasSubstr("rules.yaml:4:"));

  volume.publish(rules_with_burst("7"));
  ASSERT_TRUE(comes_true([&] { return reloader.status().generation == 2; }));
  EXPECT_EQ(capacity(), Tokens::whole(7));
}

TEST(ReloadingRules, AFileThatIsNotThereIsAFaultThatNamesIt) {
  TempFolder folder;
  const std::string path = folder / "rules.yaml";
  Reloader reloader({path, {}, false, {20ms, 400ms, 1h, true}}, load_file, {});
  EXPECT_EQ(reloader.status().generation, 0u);
  ASSERT_THAT(reloader.status().faults, SizeIs(1));
  EXPECT_THAT(describe(reloader.status().faults[0]), HasSubstr(path));
  write_in_place(path, rules_with_burst("5"));
  EXPECT_TRUE(comes_true([&] { return reloader.status().generation == 1; }));
}

std::string policy(const std::string& id) {
  return "policies: [{id: " + id + ", rules: [{name: all, limit_keys: [], algorithm_config: {rps: 1, burst: 1}}]}]\n";
}

// Runs a Reloader on a folder, and keeps the ids of the policies in force.
class OfAFolder {
 public:
  explicit OfAFolder(const std::string& folder)
      : reloader_({folder, {}, false, {20ms, 400ms, 1h, true}}, load_file,
                  {[this](const auto& rules) { keep(*rules); }, nullptr}) {}

  bool becomes(const std::string& ids) {
    return comes_true([&] { return this->ids() == ids && reloader_.status().is_current; });
  }
  std::string ids() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }
  SourceStatus status() const { return reloader_.status(); }

 private:
  void keep(const RuleSet& rules) {
    const std::lock_guard lock(mutex_);
    ids_.clear();
    for (const Policy& one : rules.policies) ids_ += one.id + " ";
  }

  mutable std::mutex mutex_;
  std::string ids_;
  Reloader reloader_;
};

TEST(ReloadingAFolder, FilesThatComeChangeMoveAndGoBringTheirRules) {
  TempFolder folder;
  write_in_place(folder / "b.yaml", policy("one"));
  OfAFolder kept(folder / "");
  EXPECT_EQ(kept.ids(), "one ");
  write_in_place(folder / "c.yaml", policy("two"));
  EXPECT_TRUE(kept.becomes("one two "));
  replace(folder / "c.yaml", policy("three"));
  EXPECT_TRUE(kept.becomes("one three "));
  fs::rename(folder / "c.yaml", folder / "a.yaml");
  EXPECT_TRUE(kept.becomes("three one "));
  fs::remove(folder / "b.yaml");
  EXPECT_TRUE(kept.becomes("three "));
}

TEST(ReloadingAFolder, OneBadFileKeepsTheRulesOfAllUntilItIsMendedOrGone) {
  TempFolder folder;
  write_in_place(folder / "a.yaml", policy("one"));
  OfAFolder kept(folder / "");
  replace(folder / "b.yaml", policy("one"));
  ASSERT_TRUE(comes_true([&] { return !kept.status().is_current; }));
  ASSERT_THAT(kept.status().faults, SizeIs(1));
  EXPECT_THAT(describe(kept.status().faults[0]), HasSubstr(folder / "b.yaml" + ":1:12: policies[0]: the policy 'one'"));
  replace(folder / "a.yaml", policy("two") + "heders: []\n");
  ASSERT_TRUE(comes_true([&] { return kept.status().refused == 2; }));
  EXPECT_EQ(kept.ids(), "one ");
  replace(folder / "a.yaml", policy("two"));
  EXPECT_TRUE(kept.becomes("two one "));
  for (const char* name : {"a.yaml", "b.yaml"}) fs::remove(folder / name);
  ASSERT_TRUE(comes_true([&] { return !kept.status().is_current; }));
  EXPECT_THAT(kept.status().faults.at(0).message, HasSubstr("the folder has no rules"));
  EXPECT_EQ(kept.ids(), "two one ");
}

TEST(ReloadingAFolder, ASwappedConfigMapIsReadWhole) {
  TempFolder folder;
  ConfigMapVolume volume(folder / "config");
  volume.publish({{"a.yaml", policy("one")}, {"b.yaml", policy("two")}});
  OfAFolder kept(volume.folder());
  EXPECT_EQ(kept.ids(), "one two ");
  // What moves from one file to the other is never there twice, and never gone.
  for (int i = 0; i < 20; ++i) {
    volume.publish({{"a.yaml", policy("two")}, {"b.yaml", policy("one")}});
    EXPECT_TRUE(kept.becomes("two one "));
    volume.publish({{"a.yaml", policy("one")}, {"b.yaml", policy("two")}});
    EXPECT_TRUE(kept.becomes("one two "));
  }
  EXPECT_EQ(kept.status().refused, 0u);
  volume.publish({{"c.yaml", policy("three")}});
  EXPECT_TRUE(kept.becomes("three "));
}

}  // namespace
}  // namespace sluice::rules
