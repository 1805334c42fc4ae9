// The Reloader with the real language: what a person who edits a rules file sees.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace sluice::rules
