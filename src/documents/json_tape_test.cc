#include "documents/json_tape.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::documents {
namespace {

// As it was written, but with every value's kind said by its brackets alone.
std::string shown(TapeValue value) {
  std::string text;
  if (!value.name().empty()) text += std::string(value.name()) + ":";
  if (value.kind() != Kind::kList && value.kind() != Kind::kObject) return text + std::string(value.text());
  text += value.kind() == Kind::kList ? "[" : "{";
  value.each([&](TapeValue child) {
    text += shown(child) + ",";
    return true;
  });
  return text + (value.kind() == Kind::kList ? "]" : "}");
}

TEST(JsonTape, HoldsEveryValueInItsPlace) {
  JsonTape tape;
  ASSERT_FALSE(tape.read(R"({"a": [1, [], {"b": null}, "x\u00e9"], "c": {}, "d": -2.5e1, "e": true})"));
  EXPECT_EQ(shown(tape.root()), "{a:[1,[],{b:null,},x\xc3\xa9,],c:{},d:-2.5e1,e:true,}");
}

TEST(JsonTape, ReadsOneTextAfterAnotherWhateverTheirSizes) {
  JsonTape tape;
  for (const size_t size : {1, 100'000, 2, 50'000, 300'000}) {
    const std::string text = "[\"" + std::string(size, 'x') + "\", 1]";
    ASSERT_FALSE(tape.read(text));
    EXPECT_EQ(shown(tape.root()), "[" + std::string(size, 'x') + ",1,]");
  }
}

TEST(JsonTape, ReadsOnAfterAFault) {
  JsonTape tape;
  for (const char* bad : {"", "{", "[1,]", "[1] 2", "nul", "\"\xff\"", "[01]"}) {
    EXPECT_TRUE(tape.read(bad)) << bad;
    ASSERT_FALSE(tape.read("[7]"));
    EXPECT_EQ(shown(tape.root()), "[7,]");
  }
}

TEST(JsonTape, StopsVisitingWhenToldTo) {
  JsonTape tape;
  ASSERT_FALSE(tape.read("[1, [2, 3], 4]"));
  int visited = 0;
  EXPECT_FALSE(tape.root().each([&](TapeValue) { return ++visited < 2; }));
  EXPECT_EQ(visited, 2);
}

TEST(JsonTape, KeepsItsBounds) {
  JsonTape tape;
  EXPECT_EQ(tape.read("[[[]]]", {.depth = 2})->message, "lists and objects must be nested at most 2 deep");
  EXPECT_EQ(tape.read("[1, 2, 3]", {.nodes = 3})->message, "the text must hold at most 3 values");
  EXPECT_EQ(tape.read("[1234]", {.bytes = 5})->message, "the text must have at most 5 bytes, but has 6");
}

}  // namespace
}  // namespace sluice::documents
