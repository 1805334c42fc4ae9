// docs/resp.md says what the door does: its examples are run, and it names every command.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "doors/resp/command_table.h"
#include "doors/resp/session_testing.h"
#include "doors/resp/transcript_testing.h"
#include "limiter/limiter_testing.h"

namespace sluice::doors::resp {
namespace {

std::string page() {
  std::ifstream file(SLUICE_RESP_PAGE);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> examples() {
  const std::string text = page();
  const std::string fence = "```redis\n";
  std::vector<std::string> found;
  for (size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

// What the page says of the rules.
std::shared_ptr<rules::RuleSet> rules_of_page() {
  auto rules = limiter::rule_set({limiter::rule("user", {"attr:user_id"}, limiter::per_second(0.5, 2.5))});
  rules->policies[0].id = "api";
  return rules;
}

// The block as it should be: each command with the reply it really gets.
std::string played(const std::string& block) {
  SessionUnderTest test;
  test.limiter.set_rules(rules_of_page());
  std::istringstream lines(block);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("> ")) continue;
    result += line + "\n";
    const std::string replies = test.send(line.substr(2) + "\r\n");
    for (Transcript transcript(replies); !transcript.at_end();) result += transcript.next();
  }
  return result;
}

TEST(RespPage, ItsExamplesAreWhatTheDoorAnswers) {
  const auto blocks = examples();
  ASSERT_GE(blocks.size(), 7u);
  for (const std::string& block : blocks) EXPECT_EQ(block, played(block));
}

TEST(RespPage, ItNamesEveryCommand) {
  const std::string text = page();
  for (const Command& command : commands()) {
    std::string name(command.name);
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_NE(text.find("`" + name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace sluice::doors::resp
