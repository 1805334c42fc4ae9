#include "documents/json_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "documents/json_tape.h"

namespace sluice::documents {
namespace {

Node tree(std::string_view text, const Bounds& bounds = {}) {
  auto parsed = read_json(text, bounds);
  if (const auto* fault = std::get_if<SyntaxFault>(&parsed)) {
    ADD_FAILURE() << text << ": " << fault->position.line << ":" << fault->position.column << ": " << fault->message;
    return {};
  }
  return std::get<Node>(std::move(parsed));
}

std::string refusal(std::string_view text, const Bounds& bounds = {}) {
  const auto parsed = read_json(text, bounds);
  const auto* fault = std::get_if<SyntaxFault>(&parsed);
  if (fault == nullptr) return "accepted";
  return std::to_string(fault->position.line) + ":" + std::to_string(fault->position.column) + ": " + fault->message;
}

// The tree as another library would have it, to compare with what that library read itself.
nlohmann::json as_json(const Node& node) {
  switch (node.kind) {
    case Kind::kNull: return nullptr;
    case Kind::kBool: return node.boolean;
    case Kind::kNumber: return node.number;
    case Kind::kString: return node.text;
    case Kind::kList: {
      auto list = nlohmann::json::array();
      for (const Node& item : node.items) list.push_back(as_json(item));
      return list;
    }
    case Kind::kObject: {
      auto object = nlohmann::json::object();
      for (const Member& member : node.members) object[member.name] = as_json(member.value);
      return object;
    }
  }
  return nullptr;
}

std::string random_string() {
  return *rc::gen::container<std::string>(
      rc::gen::element('a', 'b', ' ', '"', '\\', '/', '\n', '\t', '{', '}', '[', ':', ',', '0', '\x01'));
}

nlohmann::json random_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0: return nullptr;
    case 1: return *rc::gen::arbitrary<bool>();
    case 2: return *rc::gen::arbitrary<int64_t>();
    case 3: return *rc::gen::arbitrary<double>();
    case 4: return random_string();
    case 5: {
      auto list = nlohmann::json::array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.push_back(random_json(depth - 1));
      return list;
    }
    default: {
      auto object = nlohmann::json::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) object[random_string()] = random_json(depth - 1);
      return object;
    }
  }
}

void zero_large_numbers(TapeValue value, std::string& text) {
  const TapeEntry& entry = value.entry();
  if (std::isinf(entry.number)) {
    text.replace(entry.offset, entry.text.size(), entry.text.size(), ' ');
    text[entry.offset] = '0';
  }
  value.each([&](TapeValue child) {
    zero_large_numbers(child, text);
    return true;
  });
}

// The other library takes a number beyond a double for a broken text.
std::string without_large_numbers(std::string text) {
  JsonTape tape;
  if (!tape.read(text)) zero_large_numbers(tape.root(), text);
  return text;
}

TEST(JsonReader, ReadsEveryKindWithItsTextAsWritten) {
  const Node node =
      tree(R"({"n": null, "t": true, "f": false, "i": 10, "d": -1.50e+2, "s": "a\u00e9\n", "l": [1], "o": {}})");
  ASSERT_EQ(node.kind, Kind::kObject);
  EXPECT_EQ(node.find("n")->kind, Kind::kNull);
  EXPECT_EQ(node.find("t")->kind, Kind::kBool);
  EXPECT_TRUE(node.find("t")->boolean);
  EXPECT_FALSE(node.find("f")->boolean);
  EXPECT_EQ(node.find("i")->number, 10);
  EXPECT_EQ(node.find("d")->number, -150);
  EXPECT_EQ(node.find("d")->text, "-1.50e+2");
  EXPECT_EQ(node.find("s")->text, "a\u00e9\n");
  EXPECT_EQ(node.find("l")->items.size(), 1u);
  EXPECT_EQ(node.find("o")->kind, Kind::kObject);
  EXPECT_EQ(node.find("x"), nullptr);
}

TEST(JsonReader, KnowsTheLineAndColumnOfEveryNameAndValue) {
  const Node node = tree("{\n  \"é\": [1,\n    {\"b\" :  \"x\"}],\r\n\t\"c\": null}\n");
  EXPECT_EQ(node.position, (Position{1, 1}));
  EXPECT_EQ(node.members[0].position, (Position{2, 3}));
  EXPECT_EQ(node.members[0].value.position, (Position{2, 8}));
  EXPECT_EQ(node.members[0].value.items[0].position, (Position{2, 9}));
  const Node& inner = node.members[0].value.items[1];
  EXPECT_EQ(inner.position, (Position{3, 5}));
  EXPECT_EQ(inner.members[0].position, (Position{3, 6}));
  EXPECT_EQ(inner.members[0].value.position, (Position{3, 13}));
  EXPECT_EQ(node.members[1].position, (Position{4, 2}));
  EXPECT_EQ(node.members[1].value.position, (Position{4, 7}));
}

TEST(JsonReader, KeepsDuplicatesAndTheOrderOfNames) {
  const Node node = tree(R"({"b": 1, "a": 2, "b": 3, "\u0062": 4})");
  ASSERT_EQ(node.members.size(), 4u);
  EXPECT_EQ(node.members[0].name, "b");
  EXPECT_EQ(node.members[1].name, "a");
  EXPECT_EQ(node.members[2].value.number, 3);
  EXPECT_EQ(node.members[3].name, "b");
  EXPECT_EQ(node.find("b")->number, 1);
}

TEST(JsonReader, ReadsScalarsAloneAndSkipsAByteOrderMark) {
  EXPECT_EQ(tree(" 42 ").number, 42);
  EXPECT_EQ(tree(" 42 ").text, "42");
  EXPECT_EQ(tree("\"x\"").text, "x");
  EXPECT_EQ(tree("null").kind, Kind::kNull);
  EXPECT_TRUE(tree("true").boolean);
  EXPECT_EQ(tree("\xef\xbb\xbf{\"a\": 1}").members[0].position, (Position{1, 2}));
}

TEST(JsonReader, SaysWhereTheTextStopsBeingJsonAndWhatWasExpected) {
  EXPECT_EQ(refusal(""), "1:1: expected a value, but found the end of the text");
  EXPECT_EQ(refusal("{\"a\": 1\n \"b\": 2}"), "2:2: expected ',' or '}' behind the value, but found '\"'");
  EXPECT_EQ(refusal("[1,\n2,\n]"), "2:2: expected no ',' before ']'");
  EXPECT_EQ(refusal("{\"a\": 1,}"), "1:8: expected no ',' before '}'");
  EXPECT_EQ(refusal("{a: 1}"), "1:2: expected a name in double quotes or '}', but found 'a'");
  EXPECT_EQ(refusal("{\"a\" 1}"), "1:6: expected ':' behind the name, but found '1'");
  EXPECT_EQ(refusal("{\"a\": }"), "1:7: expected a value, but found '}'");
  EXPECT_EQ(refusal("[1 2]"), "1:4: expected ',' or ']' behind the value, but found '2'");
  EXPECT_EQ(refusal("{\"a\": nul}"), "1:7: expected a value, but found 'nul'");
  EXPECT_EQ(refusal("[truey]"), "1:2: expected a value, but found 'truey'");
  for (const char* text : {"truey", "falsey", "nully", "true,", "1]", "1x", "\"a\"b"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
  EXPECT_EQ(refusal("{} {}"), "1:4: expected nothing behind the value, but found '{'");
  EXPECT_EQ(refusal("[1]]"), "1:4: expected nothing behind the value, but found ']'");
  EXPECT_EQ(refusal("1 2"), "1:3: expected nothing behind the value, but found '2'");
  EXPECT_EQ(refusal("{\"a\": [1, {\"b\": 2}"),
            "1:19: expected ',' or ']' behind the value, but found the end of the text");
  EXPECT_EQ(refusal("// no\n{}"), "1:1: expected a value, but found '/'");
}

TEST(JsonReader, RefusesStringsThatAreNone) {
  EXPECT_EQ(refusal("{\"a\": \"x}"), "1:7: expected a closing quotation mark for this string, but found none");
  EXPECT_EQ(refusal("\"a\nb\""),
            "1:3: expected the closing quotation mark of the string, but found the end of the line");
  EXPECT_EQ(refusal("\"\\x\""),
            "1:2: expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, but found another escape");
  EXPECT_EQ(refusal("\"\\u12g4\""), "1:2: expected four hexadecimal digits behind \\u");
  EXPECT_EQ(refusal("\"\\ud800\""), "1:2: expected a pair of surrogates, but found half of one");
  EXPECT_EQ(refusal("\"\\udc00\""), "1:2: expected a pair of surrogates, but found half of one");
  EXPECT_EQ(refusal("'a'"), "1:1: expected a value, but found '''");
  EXPECT_EQ(tree("\"\\ud83d\\ude00\"").text, "\U0001F600");
  EXPECT_EQ(tree("\"a\\u0000b\"").text, std::string("a\0b", 3));
}

TEST(JsonReader, RefusesNumbersThatAreNone) {
  for (const char* text : {"01", "-", "1.", ".5", "+1", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "1_000",
                           "1.2.3", "1e400x", "1e400.5", "-01e400"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
    EXPECT_NE(refusal("[" + std::string(text) + "]"), "accepted") << text;
    EXPECT_NE(refusal("{\"a\": " + std::string(text) + "}"), "accepted") << text;
  }
  EXPECT_EQ(refusal("[1e400 2]"), "1:8: expected ',' or ']' behind the value, but found '2'");
  EXPECT_EQ(refusal("{\"a\": 007}"), "1:7: expected a number without a leading 0, but found '007'");
  EXPECT_EQ(tree("[1e-400]").items[0].number, 0);
  EXPECT_EQ(tree("[123456789012345678901234567890]").items[0].number, 123456789012345678901234567890.0);
}

TEST(JsonReader, ANumberBeyondADoubleIsAnInfiniteOneInItsPlace) {
  const std::string digits(400, '9');
  const Node node =
      tree("{\"a\": [1e400,\n -1e999 , " + digits + ", 1], \"b\": 1e400, \"c\": {\"d\": -" + digits + "}}");
  const auto& items = node.find("a")->items;
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].kind, Kind::kNumber);
  EXPECT_EQ(items[0].number, INFINITY);
  EXPECT_EQ(items[0].text, "1e400");
  EXPECT_EQ(items[1].number, -INFINITY);
  EXPECT_EQ(items[1].text, "-1e999");
  EXPECT_EQ(items[1].position, (Position{2, 2}));
  EXPECT_EQ(items[2].number, INFINITY);
  EXPECT_EQ(items[2].text, digits);
  EXPECT_EQ(items[3].number, 1);
  EXPECT_EQ(node.find("b")->number, INFINITY);
  EXPECT_EQ(node.find("c")->find("d")->number, -INFINITY);
  EXPECT_EQ(tree(" 1e400 ").number, INFINITY);
  EXPECT_EQ(tree("[0e999999999999999999999, 1e-999999999999999999999]").items[1].number, 0);
}

TEST(JsonReader, RefusesAZeroByteAnywhere) {
  for (const char* text : {"1#", "[1]#", "#", "[#1]", "{\"a\"#: 1}", "\"#\"", "true#"}) {
    std::string with_zero = text;
    with_zero[with_zero.find('#')] = '\0';
    EXPECT_NE(refusal(with_zero), "accepted") << text;
  }
}

TEST(JsonReader, RefusesWhatIsNoUtf8AndSaysWhere) {
  EXPECT_EQ(refusal("{\"a\":\n \"\xff\"}"), "2:3: the text must be UTF-8, but a byte here is no part of it");
  for (const char* bytes : {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8"}) {
    EXPECT_NE(refusal("\"" + std::string(bytes) + "\""), "accepted");
  }
}

TEST(JsonReader, HoldsItsBounds) {
  EXPECT_EQ(refusal("[1, 2, 3]", {.bytes = 8}), "1:1: the text must have at most 8 bytes, but has 9");
  EXPECT_EQ(refusal("[1, 2, 3]", {.nodes = 3}), "1:5: the text must hold at most 3 values");
  EXPECT_EQ(refusal("[[[]]]", {.depth = 2}), "1:3: lists and objects must be nested at most 2 deep");
  EXPECT_EQ(tree("[[]]", {.depth = 2}).items.size(), 1u);
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(refusal(deep), "accepted");
  EXPECT_EQ(refusal("[" + deep + "]"), "1:65: lists and objects must be nested at most 64 deep");
  EXPECT_NE(refusal(std::string(1'000'000, '[')), "accepted");
  EXPECT_NE(refusal(std::string(1'000'000, '{')), "accepted");
}

RC_GTEST_PROP(JsonReader, ReadsWhatAnotherLibraryWrote, ()) {
  const auto written = random_json(4);
  const std::string text = written.dump(*rc::gen::inRange(-1, 3));
  const auto parsed = read_json(text);
  RC_ASSERT(std::holds_alternative<Node>(parsed));
  const auto expected = nlohmann::json::parse(text);
  RC_ASSERT(as_json(std::get<Node>(parsed)) == expected);
}

RC_GTEST_PROP(JsonReader, AcceptsADamagedTextExactlyIfAnotherLibraryDoes, ()) {
  std::string text = random_json(3).dump();
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    const auto at = static_cast<size_t>(*rc::gen::inRange(0, static_cast<int>(text.size()) + 1));
    const char byte = *rc::gen::element('{', '}', '[', ']', '"', ':', ',', '\\', 'u', '0', '1', '-', '.', 'e', 't', ' ',
                                        '\n', '\x1f', '\xc3', '\xff');
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text.insert(at, 1, byte); break;
      case 1: text.erase(at, 1); break;
      default: text.replace(at, 1, 1, byte); break;
    }
  }
  const auto parsed = read_json(text);
  RC_ASSERT(std::holds_alternative<Node>(parsed) == nlohmann::json::accept(without_large_numbers(text)));
  if (const auto* fault = std::get_if<SyntaxFault>(&parsed)) {
    RC_ASSERT(fault->message != "what follows here is no JSON");
  }
}

}  // namespace
}  // namespace sluice::documents
