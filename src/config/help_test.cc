#include "config/help.h"

#include <fstream>
#include <iterator>

#include "config/config_testing.h"

namespace sluice::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(SettingsPage, IsInStepWithTheTable) {
  std::ifstream file(SLUICE_SETTINGS_PAGE);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(written, settings_page()) << "write it anew: settings_page > docs/settings.md";
}

TEST(Help, NamesEveryFlagAndFitsATerminal) {
  const std::string text = help_text();
  for (const Spelling& spelling : flag_spellings()) {
    const bool is_hidden = spelling.spec->is_secret() && !spelling.is_secret_file;
    EXPECT_TRUE(is_hidden || text.find(spelling.name) != text.npos) << spelling.name;
  }
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 112U) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(AnnotatedConfig, LoadedAgainGivesTheSameSettings) {
  const Folder folder;
  const Loaded first = load_with({"--http", ":80,unix:/a", "--rules", "no: \"way\"", "--log-format", "json",
                                  "--resp-idle-timeout", "1h30m", "--tls-certificate", "true", "--tls-key", "1"},
                                 {"SLUICE_ADMIN_TOKEN=hunter2", "STATE_DIRECTORY=/var/lib/s"});
  ASSERT_THAT(told(first.faults), IsEmpty());
  const std::string text = annotated_config(first);
  const Loaded again = load_text(text, "s.yaml", documents::Format::kYaml);
  ASSERT_THAT(told(again.faults), IsEmpty()) << text;
  for (const Spec& spec : table()) {
    if (spec.is_secret() || spec.name == "data_dir") continue;
    std::string expected = origin_of(first, spec.name).text;
    // The file may be put into any folder.
    const bool is_path = spec.type() == Type::kPath || spec.type() == Type::kSource;
    if (is_path && !expected.empty()) expected = std::filesystem::absolute(expected).string();
    EXPECT_EQ(origin_of(again, spec.name).text, expected) << spec.name;
  }
}

TEST(AnnotatedConfig, NamesEverySettingTellsWhereItCameFromAndHidesSecrets) {
  const std::string text = annotated_config(load_with({"--loops", "7"}, {"SLUICE_ADMIN_TOKEN=hunter2"}));
  EXPECT_THAT(text, HasSubstr("\nloops: 7  # from --loops\n"));
  EXPECT_THAT(text, HasSubstr("  # token: set, and not shown  # from SLUICE_ADMIN_TOKEN\n"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  for (const Spelling& spelling : file_spellings()) {
    EXPECT_THAT(text, HasSubstr(spelling.name.substr(spelling.name.find('.') + 1) + ": "));
  }
}

TEST(AnnotatedConfig, OfTheDefaultsIsAFileToStartFrom) {
  const Loaded again = load_text(annotated_config(load_defaults()), "s.yaml", documents::Format::kYaml);
  EXPECT_THAT(told(again.faults), IsEmpty());
  EXPECT_EQ(origin_of(again, "http.listen").layer, Layer::kFile);
  EXPECT_EQ(origin_of(again, "rules").layer, Layer::kDefault);
}

}  // namespace
}  // namespace sluice::config
