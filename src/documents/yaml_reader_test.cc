#include "documents/yaml_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "documents/json_reader.h"
#include "stopwatch/cpu_stopwatch.h"

namespace sluice::documents {
namespace {

Node tree(std::string_view text, const Bounds& bounds = {}) {
  auto parsed = read_yaml(text, bounds);
  if (const auto* fault = std::get_if<SyntaxFault>(&parsed)) {
    ADD_FAILURE() << text << ": " << fault->position.line << ":" << fault->position.column << ": " << fault->message;
    return {};
  }
  return std::get<Node>(std::move(parsed));
}

std::string refusal(std::string_view text, const Bounds& bounds = {}) {
  const auto parsed = read_yaml(text, bounds);
  const auto* fault = std::get_if<SyntaxFault>(&parsed);
  if (fault == nullptr) return "accepted";
  return std::to_string(fault->position.line) + ":" + std::to_string(fault->position.column) + ": " + fault->message;
}

bool is_same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  if (a.kind == Kind::kString && a.text != b.text) return false;
  if (a.boolean != b.boolean || a.number != b.number) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!is_same(a.items[i], b.items[i])) return false;
  }
  for (size_t i = 0; i < a.members.size(); ++i) {
    if (a.members[i].name != b.members[i].name || !is_same(a.members[i].value, b.members[i].value)) return false;
  }
  return true;
}

TEST(YamlReader, TypesPlainScalarsByTheCoreSchema) {
  const Node node = tree(
      "[~, null, NULL, , true, False, yes, on, 10, -3, +7, 010, 0o17, 0x1F, 1.5, .5, 1., 1e3, .inf, -.Inf, .nan, "
      "0b11, 1_000, 12:30:45, 1.2.3, abc, 0x, 0o8, '', e5]");
  std::string kinds;
  for (const Node& item : node.items) kinds += "nbdslo"[static_cast<int>(item.kind)];
  EXPECT_EQ(kinds, "nnnnbbssdddddddddddddsssssssss");
}

TEST(YamlReader, ReadsNumbersAsTheyAreMeant) {
  const Node node = tree("[010, 0o17, 0x1F, +7, .5, 1., 1e3, 1e999, -.inf, .nan]");
  const double expected[] = {10, 15, 31, 7, 0.5, 1, 1000, INFINITY, -INFINITY};
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(node.items[i].number, expected[i]) << node.items[i].text;
  EXPECT_TRUE(std::isnan(node.items[9].number));
  EXPECT_EQ(node.items[0].text, "010");
}

TEST(YamlReader, TakesWhatIsQuotedOrABlockForAString) {
  const Node node = tree("a: '10'\nb: \"true\"\nc: |\n  null\nd: >-\n  12\n  13\ne: \"\\u00e9\\n\"\n");
  for (const Member& member : node.members) EXPECT_EQ(member.value.kind, Kind::kString) << member.name;
  EXPECT_EQ(node.find("c")->text, "null\n");
  EXPECT_EQ(node.find("d")->text, "12 13");
  EXPECT_EQ(node.find("e")->text, "\u00e9\n");
}

TEST(YamlReader, KnowsTheLineAndColumnOfEveryNameAndValue) {
  const Node node = tree("# first\npolicies:\n  - id: \"\u00e9\"  # second\n    rules: [{name: x}]\n\"b\": 1\n");
  EXPECT_EQ(node.position, (Position{2, 1}));
  EXPECT_EQ(node.members[0].position, (Position{2, 1}));
  const Node& policy = node.members[0].value.items[0];
  EXPECT_EQ(policy.position, (Position{3, 5}));
  EXPECT_EQ(policy.members[0].position, (Position{3, 5}));
  EXPECT_EQ(policy.members[0].value.position, (Position{3, 9}));
  EXPECT_EQ(policy.members[1].position, (Position{4, 5}));
  EXPECT_EQ(policy.members[1].value.items[0].members[0].position, (Position{4, 14}));
  EXPECT_EQ(policy.members[1].value.items[0].members[0].value.position, (Position{4, 20}));
  EXPECT_EQ(node.members[1].position, (Position{5, 1}));
}

TEST(YamlReader, KeepsDuplicatesAndNamesThatAreNoStrings) {
  const Node node = tree("b: 1\n8080: 2\nb: 3\ntrue: 4\n");
  ASSERT_EQ(node.members.size(), 4u);
  EXPECT_EQ(node.members[1].name, "8080");
  EXPECT_EQ(node.members[2].value.number, 3);
  EXPECT_EQ(node.members[3].name, "true");
}

TEST(YamlReader, AValueThatIsNotWrittenStandsWithItsName) {
  const Node node = tree("a:\nb:\n? c\nd: ~\n");
  EXPECT_EQ(node.members[0].value.position, (Position{1, 1}));
  EXPECT_EQ(node.members[1].value.position, (Position{2, 1}));
  EXPECT_EQ(node.members[2].value.position, (Position{3, 3}));
  for (const Member& member : node.members) EXPECT_EQ(member.value.kind, Kind::kNull);
}

TEST(YamlReader, AnEmptyTextIsNull) {
  EXPECT_EQ(tree("").kind, Kind::kNull);
  EXPECT_EQ(tree("# nothing\n").kind, Kind::kNull);
  EXPECT_EQ(tree("---\n").kind, Kind::kNull);
  EXPECT_EQ(tree("\xef\xbb\xbf"
                 "a: 1")
                .members[0]
                .position,
            (Position{1, 1}));
}

TEST(YamlReader, RefusesWhatWouldHideWhereAValueComesFrom) {
  EXPECT_EQ(refusal("a: &x 1\nb: *x\n"), "1:4: anchors (&name) are not supported: write the value where it is used");
  EXPECT_EQ(refusal("a: *x\n").substr(0, 5), "1:4: ");
  EXPECT_EQ(refusal("a: !!str 1\n"), "1:4: tags (!name) are not supported: leave it out");
  EXPECT_EQ(refusal("a: !custom {b: 1}\n"), "1:4: tags (!name) are not supported: leave it out");
  EXPECT_EQ(refusal("<<: {a: 1}\n"), "1:1: merge keys (<<) are not supported: write the fields here");
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "2:1: expected one document, but a second begins here");
  EXPECT_EQ(refusal("? [a]\n: 1\n"), "1:3: expected a name, but found a list");
  EXPECT_EQ(refusal("~: 1\n"), "1:1: expected a name before ':', but found none");
}

TEST(YamlReader, SaysWhereTheTextStopsBeingYaml) {
  EXPECT_EQ(refusal("a: [1, 2\nb: 3\n").substr(0, 2), "2:");
  EXPECT_EQ(refusal("a: \"x").substr(0, 26), "1:6: this is no YAML here:");
  EXPECT_EQ(refusal("a:\n\t- 1\n").substr(0, 2), "2:");
  EXPECT_EQ(refusal("a: 1\n b: 2\n").substr(0, 2), "2:");
  EXPECT_NE(refusal("a: 1\n}\n"), "accepted");
  EXPECT_NE(refusal("{a: 1}}\n"), "accepted");
  EXPECT_NE(refusal("- 1\nb: 2\n"), "accepted");
}

TEST(YamlReader, RefusesAStringThatSwallowsTheRestOfTheText) {
  const std::string expected = "1:4: expected a closing quotation mark for this string, but found none";
  EXPECT_EQ(refusal("a: \"x\nb: 1\n"), expected);
  EXPECT_EQ(refusal("a: 'x\nb: 1\n"), expected);
  EXPECT_EQ(refusal("a: 'it''s\n"), expected);
  EXPECT_EQ(refusal("a: \"x\\\"\n"), expected);
  EXPECT_EQ(refusal("a: \"x\n  y\"\nb: 'it''s'\n"), "accepted");
  EXPECT_EQ(refusal("a: |\n  it's \"\n"), "accepted");
}

TEST(YamlReader, RefusesControlCharactersInsteadOfStoppingAtThem) {
  EXPECT_EQ(refusal(std::string("a: 1\n\x04\nb: 2\n")), "2:1: expected text, but found a control character");
  EXPECT_EQ(refusal(std::string("a: 1\0b", 6)), "1:5: expected text, but found a control character");
  EXPECT_EQ(refusal("a: \xff"), "1:4: the text must be UTF-8, but a byte here is no part of it");
  EXPECT_NE(refusal(std::string("\xfe\xff\0a", 4)), "accepted");
}

TEST(YamlReader, HoldsItsBounds) {
  EXPECT_EQ(refusal("[1, 2, 3]", {.bytes = 8}), "1:1: the text must have at most 8 bytes, but has 9");
  EXPECT_EQ(refusal("- 1\n- 2\n- 3", {.nodes = 3}), "3:3: the text must hold at most 3 values");
  EXPECT_EQ(refusal("[,,,]", {.nodes = 1}), "1:3: the text must hold at most 2 brackets, commas and quotation marks");
  EXPECT_NE(refusal(std::string(15'000'000, '[')), "accepted");
  EXPECT_EQ(refusal("[[[]]]", {.depth = 2}), "1:3: lists and objects must be nested at most 2 deep");
  EXPECT_EQ(refusal("- - - 1", {.depth = 2}), "1:5: lists and objects must be nested at most 2 deep");
}

TEST(YamlReader, HostileTextsAreRefusedInLittleTime) {
  for (const std::string piece :
       {"[",  "{",   "- ",  "? ",  "a: ", "{a: ",  "[a, ", "\"", "'", "!", "&a ",  "*a ", "#",
        ": ", "|\n", "-\n", "?\n", "%",   "---\n", "\\",   ",",  "]", "}", "a:\n", " ",   "\t"}) {
    std::string text;
    while (text.size() < 500'000) text += piece;
    const CpuStopwatch stopwatch;
    const auto parsed = read_yaml(text);
    EXPECT_LT(stopwatch.seconds(), 5.0) << piece;
  }
}

// JSON is YAML: whatever another library writes as JSON means the same by both readers.
RC_GTEST_PROP(YamlReader, ReadsJsonAsTheJsonReaderDoes, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::element('a', 'Z', ' ', '"', '\\', ':', '-', '#', '1'));
  auto object = nlohmann::json::object();
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    auto& value = object["k" + *word];
    switch (*rc::gen::inRange(0, 5)) {
      case 0: value = *word; break;
      case 1: value = *rc::gen::arbitrary<int>(); break;
      case 2: value = *rc::gen::arbitrary<double>(); break;
      case 3: value = *rc::gen::container<std::vector<std::string>>(word); break;
      default: value = {{"inner", *rc::gen::arbitrary<bool>()}, {"other", nullptr}}; break;
    }
  }
  const std::string text = object.dump(2);
  const auto as_yaml = read_yaml(text);
  const auto as_json = read_json(text);
  RC_ASSERT(std::holds_alternative<Node>(as_yaml));
  RC_ASSERT(is_same(std::get<Node>(as_yaml), std::get<Node>(as_json)));
}

}  // namespace
}  // namespace sluice::documents
