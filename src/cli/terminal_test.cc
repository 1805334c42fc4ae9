#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

Surroundings color_terminal() {
  Surroundings surroundings;
  surroundings.term = "xterm";
  surroundings.is_terminal = true;
  surroundings.terminal_width = 120;
  return surroundings;
}

TEST(Style, IsAsWideAsWishedElseAsColumnsSaysElseAsTheTerminalIs) {
  Surroundings surroundings = color_terminal();
  EXPECT_EQ(style_for(surroundings, {}).width, 120);
  surroundings.columns = "100";
  EXPECT_EQ(style_for(surroundings, {}).width, 100);
  EXPECT_EQ(style_for(surroundings, {60, false}).width, 60);
  EXPECT_EQ(style_for({}, {}).width, 80);
}

TEST(Style, IgnoresColumnsThatMakeNoSense) {
  Surroundings surroundings = color_terminal();
  for (const char* columns : {"", "0", "-5", "wide", "80x", "99999999999"}) {
    surroundings.columns = columns;
    EXPECT_EQ(style_for(surroundings, {}).width, 120) << columns;
  }
  surroundings.columns = "3";
  EXPECT_EQ(style_for(surroundings, {}).width, kNarrowest);
}

TEST(Style, HasColorOnlyOnATerminalThatWantsIt) {
  EXPECT_TRUE(style_for(color_terminal(), {}).color);
  EXPECT_FALSE(style_for(color_terminal(), {{}, true}).color);
  Surroundings surroundings = color_terminal();
  surroundings.no_color = "1";
  EXPECT_FALSE(style_for(surroundings, {}).color);
  surroundings = color_terminal();
  surroundings.term = "dumb";
  EXPECT_FALSE(style_for(surroundings, {}).color);
  surroundings = color_terminal();
  surroundings.is_terminal = false;
  EXPECT_FALSE(style_for(surroundings, {}).color);
}

TEST(Painted, LeavesNoCodesWithoutColorAndAroundNothing) {
  EXPECT_EQ(painted({80, false, true}, Ink::kAllowed, "x"), "x");
  EXPECT_EQ(painted({80, true, true}, Ink::kAllowed, ""), "");
  EXPECT_EQ(painted({80, true, true}, Ink::kAllowed, "x"), "\x1b[32mx\x1b[0m");
}

TEST(Wrapped, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three", 80), "one two three\n");
  EXPECT_EQ(wrapped("one two three", 9), "one two\n  three\n");
  EXPECT_EQ(wrapped("  one\n\ttwo ", 80), "one two\n");
  EXPECT_EQ(wrapped("incomprehensible word", 8), "incomprehensible\n  word\n");
  EXPECT_EQ(wrapped("", 80), "\n");
}

}  // namespace
}  // namespace sluice::cli
