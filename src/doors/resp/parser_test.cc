#include "doors/resp/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

using testing::ElementsAre;

using Words = std::vector<std::string>;

// One message, presented as a connection does: what was not taken comes again, with more behind it.
struct Outcome {
  Found found = Found::kPart;
  size_t size = 0;
  Words words;
  std::string fault;
};

Outcome parse_in_pieces(const std::string& bytes, const std::vector<size_t>& ends, const Limits& limits = {}) {
  Parser parser;
  Progress progress;
  for (const size_t end : ends) {
    // A copy at another address each time: nothing may point into the earlier one.
    const std::string present = bytes.substr(0, end);
    const Parsed parsed = parser.parse(present, limits, progress);
    if (parsed.found == Found::kPart) continue;
    Outcome outcome{parsed.found, parsed.size, {}, {}};
    if (parsed.found == Found::kFault) outcome.fault = parser.fault();
    if (parsed.found == Found::kCommand || parsed.found == Found::kInline) {
      for (const std::string_view one : parser.arguments()) outcome.words.emplace_back(one);
    }
    return outcome;
  }
  return {};
}

Outcome parse(const std::string& bytes, const Limits& limits = {}) {
  return parse_in_pieces(bytes, {bytes.size()}, limits);
}

const std::string kMessages[] = {
    command({"CL.THROTTLE", "user:42", "15", "30", "60"}),
    command({""}),
    command({"a", "", std::string(300, 'x'), "b\r\n$1\r\n"}),
    "*3\r\n+PING\r\n:-12\r\n$1\r\nx\r\n",
    "*0\r\n",
    "*-1\r\n",
    "\r\n",
    "\n",
    "   \r\n",
    "PING\r\n",
    "set 'a b' \"c\\x41\\n\"\n",
};

TEST(Parser, FindsTheSameHoweverAMessageIsCutInTwo) {
  for (const std::string& message : kMessages) {
    const Outcome whole = parse(message);
    EXPECT_EQ(whole.size, message.size()) << message;
    for (size_t cut = 1; cut < message.size(); ++cut) {
      const Outcome outcome = parse_in_pieces(message, {cut, message.size()});
      EXPECT_EQ(outcome.found, whole.found) << message << " cut at " << cut;
      EXPECT_EQ(outcome.size, whole.size) << message << " cut at " << cut;
      EXPECT_EQ(outcome.words, whole.words) << message << " cut at " << cut;
    }
  }
}

TEST(Parser, FindsNothingBeforeTheLastByteAndEverythingWithIt) {
  for (const std::string& message : kMessages) {
    std::vector<size_t> ends;
    for (size_t end = 1; end < message.size(); ++end) ends.push_back(end);
    EXPECT_EQ(parse_in_pieces(message, ends).found, Found::kPart) << message;
    ends.push_back(message.size());
    EXPECT_EQ(parse_in_pieces(message, ends).words, parse(message).words) << message;
  }
}

TEST(Parser, TakesOneMessageAndLeavesTheNext) {
  const std::string first = command({"PING"});
  EXPECT_EQ(parse(first + command({"ECHO", "x"})).size, first.size());
  EXPECT_EQ(parse("PING\r\nPING\r\n").size, 6u);
}

TEST(Parser, ReadsIntegersAndSimpleStringsAsArguments) {
  EXPECT_THAT(parse("*4\r\n+CL.THROTTLE\r\n:15\r\n:-9223372036854775808\r\n$0\r\n\r\n").words,
              ElementsAre("CL.THROTTLE", "15", "-9223372036854775808", ""));
}

TEST(Parser, ReadsInlineCommandsAsRedisDoes) {
  EXPECT_THAT(parse("  set\tkey  value \r\n").words, ElementsAre("set", "key", "value"));
  EXPECT_THAT(parse("a \"b c\" 'd e' \"\"\n").words, ElementsAre("a", "b c", "d e", ""));
  EXPECT_THAT(parse(R"(a "\x41\xfg\n\t\"\\q" 'it\'s \n')"
                    "\n")
                  .words,
              ElementsAre("a", "Axfg\n\t\"\\q", "it's \\n"));
  EXPECT_THAT(parse("pre\"fix ed\"\n").words, ElementsAre("prefix ed"));
  for (const char* const broken : {"a \"b\n", "a 'b\n", "a \"b\"c\n", "a 'b'\"c\"\n", "\"\\\n"}) {
    EXPECT_EQ(parse(broken).fault, "Protocol error: unbalanced quotes in request") << broken;
  }
}

TEST(Parser, SaysWhatIsNoProtocol) {
  const std::pair<std::string, std::string> cases[] = {
      {"*x\r\n", "invalid multibulk length"},
      {"*1025\r\n", "invalid multibulk length"},
      {"*9223372036854775808\r\n", "invalid multibulk length"},
      {"*" + std::string(40, '1'), "too big mbulk count string"},
      {"*1\r\nPING\r\n", "expected '$', got 'P'"},
      {"*1\r\n\x01", "expected '$', got '?'"},
      {"*1\r\n$x\r\n", "invalid bulk length"},
      {"*1\r\n$-1\r\n", "invalid bulk length"},
      {"*1\r\n$524289\r\n", "invalid bulk length"},
      {"*1\r\n$" + std::string(40, '1'), "too big bulk count string"},
      {"*1\r\n$2\r\nabc\r\n", "a bulk string is longer than its length"},
      {"*1\r\n+" + std::string(1026, 'x'), "too big simple string"},
      {std::string(65'537, 'x'), "too big inline request"},
  };
  for (const auto& [bytes, fault] : cases) {
    EXPECT_EQ(parse(bytes).fault, "Protocol error: " + fault) << bytes.substr(0, 60);
  }
}

TEST(Parser, KeepsToEachOfItsLimits) {
  const Limits limits{3, 10, 40, 20};
  EXPECT_EQ(parse(command({"a", "b", "c"}), limits).found, Found::kCommand);
  EXPECT_EQ(parse(command({"a", "b", "c", "d"}), limits).fault, "Protocol error: invalid multibulk length");
  EXPECT_EQ(parse(command({"0123456789"}), limits).found, Found::kCommand);
  EXPECT_EQ(parse(command({"0123456789a"}), limits).fault, "Protocol error: invalid bulk length");
  EXPECT_EQ(parse(command({"0123456789", "0123456789", "0123456789"}), limits).fault,
            "Protocol error: too big command");
  EXPECT_EQ(parse("*2\r\n+0123456789\r\n+0123456789012345678901234567890\r\n", limits).fault,
            "Protocol error: too big command");
  EXPECT_EQ(parse("0123456789012345678\r\n", limits).found, Found::kInline);
  EXPECT_EQ(parse("01234567890123456789x\r\n", limits).fault, "Protocol error: too big inline request");
  EXPECT_EQ(parse("a b c d\r\n", limits).fault, "Protocol error: invalid multibulk length");
}

TEST(Parser, LooksAtNoArgumentTwiceWhileALargeCommandComesInByteByByte) {
  std::string bytes = "*1024\r\n";
  for (int i = 0; i < 1024; ++i) bytes += "$1\r\nx\r\n";
  Parser parser;
  Progress progress;
  uint32_t last = 0;
  for (size_t end = 1; end < bytes.size(); ++end) {
    ASSERT_EQ(parser.parse(std::string_view(bytes).substr(0, end), {}, progress).found, Found::kPart);
    ASSERT_GE(progress.arguments, last);
    if (end > 7) {
      ASSERT_EQ(progress.arguments, (end - 7) / 7);
    }
    last = progress.arguments;
  }
  EXPECT_EQ(parser.parse(bytes, {}, progress).size, bytes.size());
  EXPECT_EQ(parser.arguments().size(), 1024u);
}

}  // namespace
}  // namespace sluice::doors::resp
