#include "config/config_testing.h"

namespace sluice::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Flags, TakeTheirValueBehindASpaceOrAnEqualsSign) {
  const Loaded loaded = load_with({"--loops", "3", "--log-level=debug", "--http", "127.0.0.1:1", "--demo"});
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(loaded.settings->loops, 3);
  EXPECT_EQ(loaded.settings->log.level, LogLevel::kDebug);
  EXPECT_EQ(loaded.settings->http.listen.at(0).port, 1);
  EXPECT_TRUE(loaded.settings->demo);
  EXPECT_FALSE(load_with({"--memory-huge-pages=false"}).settings->memory.huge_pages);
}

TEST(Flags, ThatDoNotExistAreToldWithTheNearest) {
  EXPECT_THAT(told(load_with({"--htp-listen", "x", "--zzz"}).faults),
              ElementsAre("sluice serve: there is no flag '--htp-listen'\n  hint: did you mean '--http-listen'?",
                          "sluice serve: did not expect 'x'\n  hint: values belong behind a flag: --rules FILE",
                          "sluice serve: there is no flag '--zzz'\n  hint: 'sluice serve --help' lists them"));
}

TEST(Flags, WithoutAValueSaySo) {
  EXPECT_THAT(told(load_with({"--rules", "--demo"}).faults),
              ElementsAre("--rules: needs a value\n  hint: --rules SOURCE"));
  EXPECT_THAT(told(load_with({"--loops"}).faults), ElementsAre("--loops: needs a value\n  hint: --loops NUMBER"));
}

TEST(Flags, GivenTwiceAreRefusedUnderAnyName) {
  EXPECT_THAT(told(load_with({"--http", "off", "--http-listen", "off"}).faults),
              ElementsAre("--http-listen: http.listen is given twice, the first time at --http"));
}

TEST(Flags, TakeNoSecretAndShowNone) {
  for (const Words& words : {Words{"--admin-token", "hunter2"}, Words{"--admin-token=hunter2"}}) {
    EXPECT_THAT(told(load_with(words).faults),
                ElementsAre("--admin-token: a secret must not stand on the command line, where others can read it\n"
                            "  hint: set SLUICE_ADMIN_TOKEN, or put it into a file and give --admin-token-file"));
  }
}

TEST(Flags, MayAskForHelpOrForTheConfig) {
  EXPECT_EQ(load_with({}).wish, Wish::kServe);
  EXPECT_EQ(load_with({"--nonsense", "--help"}).wish, Wish::kHelp);
  EXPECT_EQ(load_with({"-h", "--print-config"}).wish, Wish::kHelp);
  EXPECT_EQ(load_with({"--print-config", "--loops", "2"}).wish, Wish::kPrintConfig);
}

}  // namespace
}  // namespace sluice::config
