#include "config/table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/assign.h"
#include "config/layers.h"

namespace sluice::config {
namespace {

TEST(Table, HasEachNameOnceInEveryLayer) {
  for (const auto& spellings : {flag_spellings(), variable_spellings(), file_spellings()}) {
    std::set<std::string> names;
    for (const Spelling& spelling : spellings) EXPECT_TRUE(names.insert(spelling.name).second) << spelling.name;
  }
}

TEST(Table, HasTheSettingsOfASectionSideBySide) {
  std::set<std::string_view> seen;
  std::string_view section = "none";
  for (const Spec& spec : table()) {
    if (spec.section() == section) continue;
    section = spec.section();
    EXPECT_TRUE(seen.insert(section).second) << section;
    EXPECT_FALSE(section_help(section).empty());
  }
}

TEST(Table, HasADefaultThatItsOwnRulesAllow) {
  for (const Spec& spec : table()) {
    Settings settings;
    if (spec.fallback.empty()) continue;
    const auto problem = assign(spec, spec.fallback, settings);
    EXPECT_FALSE(problem.has_value()) << spec.name << " " << problem->message;
  }
}

TEST(Table, HasHelpInOneLineAndNotesInWholeSentences) {
  for (const Spec& spec : table()) {
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    EXPECT_LE(spec.help.size(), 110U) << spec.name;
    EXPECT_FALSE(spec.help.ends_with('.')) << spec.name;
    EXPECT_TRUE(spec.note.empty() || spec.note.ends_with('.')) << spec.name;
    EXPECT_EQ(spec.help.find('|'), spec.help.npos) << "it stands in a table of Markdown";
    EXPECT_EQ(spec.note.find('|'), spec.note.npos) << "it stands in a table of Markdown";
  }
}

TEST(Table, HasNoSettingThatIsAlsoASection) {
  for (const Spec& spec : table()) {
    for (const Spec& other : table()) EXPECT_NE(spec.name, other.section());
  }
}

// Each target is written through a different value, so that two rows with one target, or a wrong one, are seen.
TEST(Table, HasAMemberOfItsOwnForEachSetting) {
  std::set<const void*> members;
  Settings settings;
  for (const Spec& spec : table()) {
    const void* member = std::visit(
        [&](const auto& target) -> const void* {
          if constexpr (std::is_same_v<std::decay_t<decltype(target)>, Choice>) {
            return target.words.data();
          } else {
            return target(settings);
          }
        },
        spec.target);
    EXPECT_TRUE(members.insert(member).second) << spec.name;
  }
}

TEST(Table, SpellsNamesForFlagsAndVariables) {
  const Spec& spec = *find_setting("http.max_body_bytes");
  EXPECT_EQ(spec.flag(), "--http-max-body-bytes");
  EXPECT_EQ(spec.variable(), "SLUICE_HTTP_MAX_BODY_BYTES");
  EXPECT_EQ(spec.section(), "http");
  EXPECT_EQ(find_setting("rules")->section(), "");
  EXPECT_EQ(find_setting("http"), nullptr);
}

}  // namespace
}  // namespace sluice::config
