#include "rules/table/row_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/table/table_testing.h"

namespace sluice::rules {
namespace {

using testing::defined_row;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::table_row;

constexpr const char* kDefinition = R"({"limit_keys": ["path"], "algorithm_config": {"rps": 1.50, "burst": 1}})";

Row kept(Row row) {
  row.id = 7;
  row.version = 3;
  row.created_at = "2026-11-16T05:18:31.123456Z";
  row.updated_at = "2026-11-16T06:18:31.123456Z";
  return row;
}

documents::Node parsed(const std::string& text) { return std::get<documents::Node>(documents::read_json(text)); }

// Without line ends and the spaces that come with them.
std::string flat(const documents::Node& node) {
  std::string text;
  for (const char c : documents::write_json(node)) {
    if (c == '\n') {
      while (text.ends_with(' ')) text.pop_back();
    } else if (c != ' ' || !text.ends_with(' ')) {
      text += c;
    }
  }
  return text;
}

RowBody body_of(const std::string& text) {
  auto read = read_row(text, "table");
  if (const auto* faults = std::get_if<std::vector<Fault>>(&read)) {
    for (const Fault& fault : *faults) ADD_FAILURE() << describe(fault);
    return {};
  }
  return std::get<RowBody>(std::move(read));
}

std::vector<std::string> faults_of(const std::string& text) {
  const auto read = read_row(text, "table");
  const auto* faults = std::get_if<std::vector<Fault>>(&read);
  return faults == nullptr ? std::vector<std::string>() : lines_of(*faults);
}

TEST(RowJson, ARowOfTheTableFormHasItsColumns) {
  Row row = kept(table_row("user:{user_id}", 0.1, 50, "free"));
  row.scope = "user";
  row.description = "all of \"them\"";
  EXPECT_EQ(nullptr, row_json(row).find("definition"));
  EXPECT_EQ(documents::write_json(row_json(row)),
            "{\n"
            "  \"rule_id\": 7,\n"
            "  \"key_pattern\": \"user:{user_id}\",\n"
            "  \"scope\": \"user\",\n"
            "  \"rate_per_second\": 0.1,\n"
            "  \"burst_capacity\": 50,\n"
            "  \"is_active\": true,\n"
            "  \"plan\": \"free\",\n"
            "  \"description\": \"all of \\\"them\\\"\",\n"
            "  \"version\": 3,\n"
            "  \"created_at\": \"2026-11-16T05:18:31.123456Z\",\n"
            "  \"updated_at\": \"2026-11-16T06:18:31.123456Z\"\n"
            "}\n");
}

TEST(RowJson, WhatIsShownReadsBackAsTheSameRow) {
  Row rule = defined_row("rule:login", kDefinition);
  rule.description = "of people";
  rule.is_active = false;
  const Row policy =
      defined_row("policy:api", R"({"selector": {"path": "/a"}, "rules": [{"name": "r", "limit_keys": []}]})");
  Row table = table_row("ip:{ip}", 1.0 / 3, 1e9);
  table.description = "";
  for (const Row& row : {table, table_row("user:{user_id}", 10, 50, "pro"), rule, policy}) {
    const RowBody body = body_of(documents::write_json(row_json(kept(row))));
    Row read = body.row;
    // The same text but for blanks.
    ASSERT_EQ(read.definition.has_value(), row.definition.has_value());
    EXPECT_EQ(flat(parsed(read.definition.value_or("null"))), flat(parsed(row.definition.value_or("null"))));
    read.definition = row.definition;
    EXPECT_EQ(read, row);
    EXPECT_EQ(body.rule_id, 7);
  }
}

TEST(RowJson, NumbersOfADefinitionStayAsTheyWereWritten) {
  EXPECT_THAT(flat(row_json(kept(defined_row("rule:r", kDefinition)))), HasSubstr("1.50"));
}

TEST(RowJson, ADefinitionThatCannotBeReadIsShownAsItIs) {
  EXPECT_THAT(flat(row_json(kept(defined_row("policy:torn", "{\"a")))),
              HasSubstr(R"("id": "torn", "is_active": true, "definition": "{\"a")"));
}

TEST(RowJson, WhatTheDatabaseKeepsIsPassedOver) {
  const RowBody body = body_of(
      R"({"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 2, "version": 9, "created_at": "x",
          "updated_at": null})");
  EXPECT_EQ(body.tree.members.size(), 3u);
  EXPECT_EQ(body.row.version, 0);
  EXPECT_EQ(body.rule_id, std::nullopt);
  EXPECT_THAT(faults_of(R"({"rule_id": "7"})"), ElementsAre(HasSubstr("table:1:13: rule_id: ")));
}

TEST(RowJson, BodiesThatAreNoneAreRefusedWithTheirPlace) {
  EXPECT_THAT(faults_of("{\n \"a\": }"), ElementsAre(HasSubstr("table:2:7: ")));
  EXPECT_THAT(faults_of("[]"), ElementsAre(HasSubstr("a rule or a policy is an object, but this is a list")));
  EXPECT_THAT(faults_of(R"({"key_pattern": "rule:{x}", "rate_per_second": 1, "burst_capacity": 2})"),
              ElementsAre(HasSubstr("table:1:17: key_pattern: in a table, key_pattern must not begin with rule:")));
}

TEST(MergePatch, IsThatOfItsStandard) {
  // The examples of RFC 7386, appendix A.
  const char* const examples[][3] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a": "c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a": "b", "b": "c"})"},
      {R"({"a":"b"})", R"({"a":null})", "{}"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b": "c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a": "c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a": ["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a": {"b": "d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a": [1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c", "d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", "null", "null"},
      {R"({"e":null})", R"({"a":1})", R"({"e": null, "a": 1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a": "b"})"},
      {"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a": {"bb": {}}})"},
  };
  for (const auto& [target, patch, expected] : examples) {
    documents::Node node = parsed(target);
    merge_patch(node, parsed(patch));
    EXPECT_EQ(flat(node), expected) << target << " + " << patch;
  }
}

}  // namespace
}  // namespace sluice::rules
