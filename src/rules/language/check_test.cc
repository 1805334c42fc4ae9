#include "rules/language/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/language/load_testing.h"
#include "rules/language/table.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Check, UnknownFieldsAreRefusedWithTheNearestName) {
  EXPECT_EQ(fault_of(config(R"("rps": 1, "burst": 1, "burst_second": 3)")),
            "rules[0].algorithm_config.burst_second: 'burst_second' is no field of algorithm_config (did you mean "
            "'burst_seconds'?)");
  EXPECT_EQ(fault_of(limited_rule_with(R"("Match": {})")),
            "rules[0].Match: 'Match' is no field of a rule (did you mean 'match'?)");
  EXPECT_EQ(fault_of(limited_rule_with(R"("on-missing-key": "deny")")),
            "rules[0].on-missing-key: 'on-missing-key' is no field of a rule (did you mean 'on_missing_key'?)");
  EXPECT_THAT(fault_of(limited_rule_with(R"("zzz": 1)")),
              HasSubstr("'zzz' is no field of a rule (its fields are name, description, mode"));
}

TEST(Check, NamesOfOtherLimitersAreExplained) {
  for (const char* name : {"rpm", "per_minute", "requests_per_minute"}) {
    EXPECT_THAT(fault_of(config("\"burst\": 1, \"rps\": 1, \"" + std::string(name) + "\": 100")),
                HasSubstr("write 100 per minute as rps: 1.6666666666666667 (100 / 60), or as a window"));
  }
  EXPECT_THAT(fault_of(config(R"("burst": 1, "rps": 1, "per_hour": 1)")), HasSubstr("1000 / 3600"));
  EXPECT_THAT(fault_of(limited_rule_with(R"("burst": 5)")), HasSubstr("it belongs into algorithm_config"));
  EXPECT_THAT(fault_of(R"({"policies": [{"name": "x", "id": "p", "rules": [
      {"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})"),
              HasSubstr("a policy has an id"));
}

TEST(Check, WhatTheHintsSayWorks) {
  const auto rate = loaded(config(R"("rps": 1.6666666666666667, "burst": 1)")).policies[0].rules[0].limits[0].rate();
  EXPECT_EQ(rate.numerator(), 5);
  EXPECT_EQ(rate.denominator(), 3);
}

TEST(Check, DuplicatesAreRefusedUnderAnyOfTheirNames) {
  EXPECT_THAT(
      faults_of("{\"rules\": [{\"name\": \"r\", \"limit_keys\": [],\n\"algorithm_config\": {\"rps\": 1, \"burst\": "
                "1,\n\"rps\": 2}}]}"),
      ElementsAre("3: rules[0].algorithm_config.rps: 'rps' is given twice, the first time in line 2 (leave one of "
                  "them out)"));
  EXPECT_EQ(fault_of(config(R"("rps": 1, "tokens_per_second": 1, "burst": 1)")),
            "rules[0].algorithm_config.tokens_per_second: 'tokens_per_second' means the same as 'rps' in line 1 (leave "
            "one of them out)");
  EXPECT_THAT(fault_of(limited_rule_with(R"("x": 1, "x": 2)")), HasSubstr("'x' is given twice"));
}

TEST(Check, WrongTypesSayWhatWasFoundAndExpected) {
  EXPECT_EQ(fault_of(config(R"("rps": "10", "burst": 1)")),
            "rules[0].algorithm_config.rps: rps must be a number, but is the string '10' (a number stands without "
            "quotation marks)");
  EXPECT_EQ(fault_of(R"({"rules": [{"name": 7, "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
            "rules[0].name: name must be a string, but is 7 (put it in quotation marks)");
  EXPECT_EQ(fault_of(R"({"rules": [{"name": "a", "limit_keys": "path", "algorithm_config": {"rps": 1, "burst": 1}}]})"),
            "rules[0].limit_keys: limit_keys must be a list, but is the string 'path' (a list stands in brackets, even "
            "if it has one item)");
  EXPECT_EQ(fault_of(R"({"rules": {}})"), "rules: rules must be a list, but is an object");
  EXPECT_EQ(fault_of(R"({"rules": ["a"]})"), "rules[0]: each of rules must be an object, but is the string 'a'");
  EXPECT_EQ(fault_of(R"({"rules": [null]})"), "rules[0]: each of rules must be an object, but is null");
  EXPECT_EQ(fault_of(limited_rule_with(R"("match": [])")), "rules[0].match: match must be an object, but is a list");
  EXPECT_EQ(fault_of(limited_rule_with(R"("description": null)")),
            "rules[0].description: description must be a string, but is null");
  EXPECT_EQ(
      fault_of("trust_upstream_jwt: yes\nrules: [{name: a, limit_keys: [], algorithm_config: {rps: 1, burst: 1}}]",
               Format::kYaml),
      "trust_upstream_jwt: trust_upstream_jwt must be a boolean, but is the string 'yes' (write true or false)");
}

TEST(Check, NumbersMustBeInTheirRange) {
  const auto fault = [](const std::string& fields) { return fault_of(config(fields)); };
  EXPECT_THAT(fault(R"("rps": 0, "burst": 1)"), HasSubstr("rps must be greater than 0, but is 0"));
  EXPECT_THAT(fault(R"("rps": -1.5, "burst": 1)"), HasSubstr("rps must be greater than 0, but is -1.5"));
  EXPECT_THAT(fault(R"("rps": 1e-10, "burst": 1)"), HasSubstr("rps must be at least 1e-09, but is 1e-10"));
  EXPECT_THAT(fault(R"("rps": 1e10, "burst": 1)"), HasSubstr("rps must be at most 1000000000, but is 1e10"));
  EXPECT_THAT(fault(R"("rps": 1, "burst": 0)"), HasSubstr("burst must be greater than 0, but is 0"));
  EXPECT_THAT(fault(R"("rps": 1, "burst": 1e-7)"), HasSubstr("burst must be at least 1e-06, but is 1e-7"));
  EXPECT_THAT(fault(R"("rps": 1, "burst": 1, "fixed_cost": 0)"), HasSubstr("fixed_cost must be greater than 0"));
  EXPECT_THAT(fault(R"("rps": 1, "burst": 1, "max_cost": 1e13)"), HasSubstr("max_cost must be at most 1e+12"));
  EXPECT_THAT(fault_of(limited_rule_with(R"("priority": 1.5)")),
              HasSubstr("priority must be a whole number, but is 1.5"));
  const auto fault_in_yaml = [](const std::string& number) {
    return fault_of("rules: [{name: a, limit_keys: [], algorithm_config: {rps: " + number + ", burst: 1}}]",
                    Format::kYaml);
  };
  EXPECT_THAT(fault_in_yaml(".nan"), HasSubstr("rps must be a finite number, but is .nan"));
  EXPECT_THAT(fault_in_yaml(".inf"), HasSubstr("rps must be at most 1000000000, but is .inf"));
  EXPECT_THAT(fault_in_yaml("-.inf"), HasSubstr("rps must be greater than 0, but is -.inf"));
}

TEST(Check, ANumberBeyondADoubleIsOneFaultAmongTheOthers) {
  const std::string digits(400, '1');
  const std::string text =
      "{\"rules\": [\n"
      " {\"name\": \"a\", \"limit_keys\": [\"pth\"],\n"
      "  \"algorithm_config\": {\"rps\": 1e400,\n"
      "   \"burst\": -1e999, \"max_cost\": " +
      digits +
      "},\n"
      "  \"priority\": 1e400, \"description\": 1e400}],\n"
      " \"kill_switches\": [{\"key\": \"attr:a\", \"value\": \"x\", \"expires_at\": 1e400}],\n"
      " \"heders\": 1e400}";
  for (const Format format : {Format::kJson, Format::kYaml}) {
    EXPECT_THAT(
        faults_of(text, format),
        ElementsAre("2: rules[0].limit_keys[0]: 'pth' is no source of a value; expected 'path'?",
                    "3: rules[0].algorithm_config.rps: rps must be at most 1000000000, but is 1e400",
                    "4: rules[0].algorithm_config.burst: burst must be greater than 0, but is -1e999",
                    "4: rules[0].algorithm_config.max_cost: max_cost must be at most 1e+12, but is " +
                        digits.substr(0, 60) + "...",
                    "5: rules[0].priority: priority must be at most 1000000, but is 1e400",
                    "5: rules[0].description: description must be a string, but is 1e400 (put it in quotation marks)",
                    "6: kill_switches[0].expires_at: expires_at must be at most 253402300799, but is 1e400",
                    "7: heders: 'heders' is no field of the file (did you mean 'headers'?)"));
  }
}

TEST(Check, ChoicesSuggestTheNearest) {
  EXPECT_EQ(fault_of(limited_rule_with(R"("algorithm": "token_bukcet")")),
            "rules[0].algorithm: algorithm must be token_bucket, leaky_bucket, leaky_queue, fixed_window, "
            "sliding_window_log or sliding_window_counter, but is the string 'token_bukcet' (did you mean "
            "'token_bucket'?)");
  EXPECT_EQ(fault_of(limited_rule_with(R"("mode": "Shadow")")),
            "rules[0].mode: mode must be enforce or shadow, but is the string 'Shadow' (did you mean 'shadow'?)");
  EXPECT_EQ(fault_of(R"({"headers": ["ietf", "X-RateLimit"], "rules": [
      {"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
            "headers[1]: each of headers must be ietf, legacy or x, but is the string 'X-RateLimit'");
}

TEST(Check, ChoicesThatMayBeAnObjectSaySo) {
  EXPECT_EQ(fault_of(limited_rule_with(R"("lease": "atuo")")),
            "rules[0].lease: lease must be off, auto or an object with tokens and ttl_ms, but is the string 'atuo' "
            "(did you mean 'auto'?)");
  EXPECT_EQ(fault_of(limited_rule_with(R"("lease": 100)")),
            "rules[0].lease: lease must be off, auto or an object with tokens and ttl_ms, but is 100");
}

TEST(Check, SourcesSayWhatIsWrongWithThem) {
  EXPECT_THAT(
      fault_of(
          R"({"rules": [{"name": "a", "limit_keys": ["headers:x"], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
      HasSubstr("rules[0].limit_keys[0]: 'headers:x' is no source of a value; expected 'header:x'?"));
  EXPECT_THAT(fault_of(R"({"rules": [{"name": "a", "limit_keys": [7], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
              HasSubstr("each of limit_keys must be a string, but is 7"));
}

TEST(Check, NothingInAFaultDisturbsATerminal) {
  const std::string fault = fault_of(R"({"rules": 1, "\u001b[31m\u0007": 1})");
  EXPECT_EQ(language::printable("a\x1b[31m\u009b2J\u00e9\x7f"), "a?[31m?2J\u00e9?");
  for (const char c : fault) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' || c == '\n');
  EXPECT_THAT(fault_of("{\"rules\": 1, \"" + std::string(10'000, 'x') + "\": 1}").size(), ::testing::Lt(700u));
}

// The table is what everything is made from: it must not contradict itself.
TEST(Table, AliasesAndChoicesAreConsistent) {
  for (const language::ObjectSpec* object : language::all_specs()) {
    EXPECT_LE(object->fields.size(), 16u);
    for (const language::FieldSpec& field : object->fields) {
      EXPECT_EQ(object->find(field.name), &field) << field.name;
      EXPECT_TRUE(field.help.ends_with('.')) << field.name;
      if (!field.alias_of.empty()) {
        const language::FieldSpec* meant = object->find(field.alias_of);
        ASSERT_NE(meant, nullptr);
        EXPECT_EQ(meant->type, field.type);
        EXPECT_TRUE(meant->alias_of.empty());
      }
      using language::ValueType;
      const bool has_choices =
          field.type == ValueType::kChoice || field.type == ValueType::kChoiceOr || field.type == ValueType::kChoices;
      EXPECT_EQ(has_choices, !field.choices.empty()) << field.name;
    }
  }
}

TEST(Check, WhatIsInASecondFieldOfANameIsLookedAtToo) {
  EXPECT_THAT(
      faults_of(R"({"rules": [], "rules": [{"name": "r", "limit_key": [], "algorithm_config": {"rps": 0}}]})").size(),
      4u);
}

}  // namespace
}  // namespace sluice::rules
