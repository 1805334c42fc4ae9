#include <string>

#include "config/config_testing.h"

namespace sluice::config {
namespace {

using documents::Format;
using testing::ElementsAre;
using testing::IsEmpty;

Loaded yaml(std::string_view text) { return load_text(text, "s.yaml", Format::kYaml); }

TEST(SettingsFile, IsYamlOrJson) {
  const Loaded from_yaml = yaml("loops: 2\nhttp:\n  listen: [127.0.0.1:1, unix:/a]\n  idle_timeout: 5s\n");
  ASSERT_THAT(told(from_yaml.faults), IsEmpty());
  EXPECT_EQ(from_yaml.settings->loops, 2);
  EXPECT_EQ(from_yaml.settings->http.listen.size(), 2U);
  EXPECT_EQ(from_yaml.settings->http.idle_timeout, std::chrono::seconds(5));
  const Loaded from_json = load_text(R"({"memory": {"max_bytes": 1048576, "huge_pages": false}})", "s", Format::kJson);
  ASSERT_THAT(told(from_json.faults), IsEmpty());
  EXPECT_EQ(from_json.settings->memory.max_bytes.count, 1U << 20);
  EXPECT_FALSE(from_json.settings->memory.huge_pages);
}

TEST(SettingsFile, MayBeEmpty) {
  EXPECT_THAT(told(yaml("# nothing yet\n").faults), IsEmpty());
  EXPECT_THAT(told(yaml("http:\n").faults), IsEmpty());
}

TEST(SettingsFile, TellsAllFaultsInOneRunEachWhereItStands) {
  EXPECT_THAT(told(yaml("lops: 2\n"
                        "http:\n"
                        "  listen: 8080\n"
                        "  tls: \"yes\"\n"
                        "  max_batch: 0\n"
                        "  lisen: off\n"
                        "resp: off\n"
                        "http.token: x\n"
                        "config: x\n"
                        "store:\n"
                        "admin: {listen: [7]}\n"
                        "grpc: {listen: []}\n")
                       .faults),
              ElementsAre("s.yaml:1:1: there is no setting 'lops'\n  hint: did you mean 'loops'?",
                          "s.yaml:3:11: http.listen must be a string or a list of strings, but is 8080\n"
                          "  hint: put it in quotes",
                          "s.yaml:4:8: http.tls must be true or false, but is the string 'yes'",
                          "s.yaml:5:14: http.max_batch must be from 1 to 100000, but is 0",
                          "s.yaml:6:3: there is no setting 'http.lisen'\n  hint: did you mean 'http.listen'?",
                          "s.yaml:7:7: resp must be an object, but is the string 'off'\n"
                          "  hint: its settings stand within it, such as listen",
                          "s.yaml:8:1: there is no setting 'http.token'\n  hint: write token within http",
                          "s.yaml:9:1: there is no setting 'config'\n  hint: give it as --config, or as SLUICE_CONFIG",
                          "s.yaml:10:1: store must be a string, but is null\n  hint: leave it out, or fill it",
                          "s.yaml:11:18: each of admin.listen must be a string, but is 7",
                          "s.yaml:12:16: grpc.listen must not be empty\n  hint: write off"));
}

TEST(SettingsFile, WithTwoOfANameIsRefused) {
  EXPECT_THAT(told(load_text("{\"loops\": 1,\n\"loops\": 2}", "s", Format::kJson).faults),
              ElementsAre("s:2:10: loops is given twice, the first time at s:1:11"));
}

TEST(SettingsFile, NeverShowsASecret) {
  for (const char* text : {"admin: {token: 1234567}", "admin: {token: [hunter2]}", "admin: {token: \"hunter 2\"}"}) {
    const auto faults = told(yaml(text).faults);
    ASSERT_EQ(faults.size(), 1U) << text;
    EXPECT_THAT(faults[0], testing::Not(testing::AnyOf(testing::HasSubstr("1234567"), testing::HasSubstr("hunter"))));
  }
}

TEST(SettingsFile, ThatIsNoObjectOrNoTextIsRefused) {
  EXPECT_THAT(told(yaml("- a\n").faults),
              ElementsAre("s.yaml:1:1: settings must be an object, but are a list\n  hint: write http: {listen: ...}"));
  EXPECT_EQ(yaml("a: [\n").faults.size(), 1U);
  EXPECT_EQ(load_text("{", "s", Format::kJson).faults.size(), 1U);
}

TEST(SettingsFile, WithCountlessFaultsIsToldInBoundedWords) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const Loaded loaded = yaml(text);
  ASSERT_EQ(loaded.faults.size(), 1'001U);
  EXPECT_EQ(describe(loaded.faults.back()), "s.yaml: and 49000 more members, which were not looked at");
}

TEST(SettingsFile, CannotDisturbTheTerminalThatItsFaultsAreShownOn) {
  const auto faults = told(yaml("\"a\\e[31m\": 1\n").faults);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0], testing::HasSubstr("'a?[31m'"));
}

}  // namespace
}  // namespace sluice::config
