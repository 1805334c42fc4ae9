#include "documents/json_writer.h"

#include <gtest/gtest.h>

#include "documents/json_reader.h"

namespace sluice::documents {
namespace {

std::string rewritten(std::string_view text) {
  const auto parsed = read_json(text);
  const auto* node = std::get_if<Node>(&parsed);
  return node == nullptr ? "refused" : write_json(*node);
}

TEST(JsonWriter, PutsWhatIsShortOnOneLine) {
  EXPECT_EQ(rewritten("{\"a\":[1,2.50,\"x\"],\n\"b\":{},\"c\":[],\"d\":null,\"e\":true}"),
            "{\"a\": [1, 2.50, \"x\"], \"b\": {}, \"c\": [], \"d\": null, \"e\": true}\n");
}

TEST(JsonWriter, BreaksWhatIsLong) {
  const std::string word(60, 'x');
  EXPECT_EQ(rewritten("[\"" + word + "\", {\"a\": \"" + word + "\"}]"),
            "[\n  \"" + word + "\",\n  {\"a\": \"" + word + "\"}\n]\n");
}

TEST(JsonWriter, EscapesWhatAStringMustNotHold) {
  const std::string text = "[\"\\u0001\\n\\\"\\\\é\"]\n";
  EXPECT_EQ(rewritten(text), text);
}

TEST(JsonWriter, WritesValidJsonOfAnyBytes) { EXPECT_EQ(write_json(string_node("a\xff\t")), "\"a\xef\xbf\xbd\\t\"\n"); }

TEST(JsonWriter, WritesTreesThatWereBuiltByHand) {
  const Node tree =
      object_node({{"a", {}, number_node("1e-9")}, {"b", {}, list_node({bool_node(true), string_node("s")})}});
  EXPECT_EQ(write_json(tree), "{\"a\": 1e-9, \"b\": [true, \"s\"]}\n");
}

}  // namespace
}  // namespace sluice::documents
