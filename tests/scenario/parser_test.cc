#include "scenario/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::scenario {
namespace {

using testing::HasSubstr;

constexpr const char* kStart = R"({"name": "n", "why": "Because.", "laws": [1],
    "limits": {"user": {"algorithm": "token_bucket", "rate": 10, "burst": 50}}, "steps": [)";

std::string with_steps(const std::string& steps) { return kStart + steps + "]}"; }

std::string with_limit(const std::string& limit) {
  return R"({"name": "n", "why": "Because.", "laws": [1], "limits": {"user": )" + limit +
         R"(}, "steps": [{"at": 0, "expect": {"allowed": true}}]})";
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_scenario(text, "f.json");
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "no error";
}

Step only_step(const std::string& step) { return parse_scenario(with_steps(step), "f.json").steps.at(0); }

TEST(ScenarioParser, FillsInWhatAStepLeavesOut) {
  const Step step = only_step(R"({"at": "1.5s", "expect": {"allowed": true}})");
  EXPECT_EQ(step.at, Instant(1'500'000'000));
  EXPECT_EQ(step.operation, Operation::kTake);
  ASSERT_EQ(step.takes.size(), 1u);
  EXPECT_EQ(step.takes[0].limit_name, "user");
  EXPECT_EQ(step.takes[0].key, "k");
  EXPECT_EQ(step.takes[0].cost, kOneToken);
  EXPECT_EQ(step.repeat, 1);
}

TEST(ScenarioParser, ReadsTimesExactly) {
  const std::pair<const char*, int64_t> times[] = {
      {"0", 0},
      {"17", 17'000},
      {"\"1us\"", 1'000},
      {"\"0.001ms\"", 1'000},
      {"\"2m\"", 120'000'000'000},
      {"\"0.5h\"", 1'800'000'000'000},
      {"\"365d\"", 31'536'000'000'000'000},
      {"9007199254740991", 9'007'199'254'740'991'000},
  };
  for (const auto& [text, ns] : times) {
    EXPECT_EQ(only_step(R"({"expect": {"allowed": true}, "at": )" + std::string(text) + "}").at.ns, ns) << text;
  }
}

TEST(ScenarioParser, RefusesTimesThatAreNoWholeMicroseconds) {
  for (const char* text : {"-1",
                           "1.5",
                           "1e3",
                           "true",
                           "null",
                           "\"\"",
                           "\"1\"",
                           "\"s\"",
                           "\"1.s\"",
                           "\".5s\"",
                           "\"1 s\"",
                           "\"-1s\"",
                           "\"0.5us\"",
                           "\"0.0001ms\"",
                           "\"1.0000001s\"",
                           "\"1w\"",
                           "\"999999d\"",
                           "9007199254740992",
                           "18446744073709551615",
                           "\"99999999999999999s\""}) {
    EXPECT_THAT(error_of(with_steps(R"({"expect": {"allowed": true}, "at": )" + std::string(text) + "}")),
                HasSubstr("f.json: step 1.at: must be whole microseconds"))
        << text;
  }
}

TEST(ScenarioParser, TakesARateAsANumberOrAsTokensPerPeriod) {
  const auto number = parse_scenario(with_limit(R"({"algorithm": "leaky_queue", "rate": 0.1, "burst": 2.5})"), "f");
  EXPECT_EQ(number.limits[0].limit,
            *Limit::leaky_queue(*Rate::per(1, Duration::seconds(10)), Tokens::micros(2'500'000)));
  const auto period = parse_scenario(
      with_limit(R"({"algorithm": "token_bucket", "rate": {"tokens": 5, "per": "24h"}, "burst": 5})"), "f");
  EXPECT_EQ(period.limits[0].limit.rate(), *Rate::per(1, Duration::seconds(17'280)));
}

TEST(ScenarioParser, GivesTheStepsAfterAChangeTheChangedLimit) {
  const Scenario scenario = parse_scenario(with_steps(R"({"at": 0, "expect": {"allowed": true}},
                    {"at": 0, "op": "change", "to": {"algorithm": "token_bucket", "rate": 20, "burst": 50}},
                    {"at": 0, "expect": {"allowed": true}})"),
                                           "f");
  EXPECT_EQ(scenario.steps[0].takes[0].limit.rate().numerator(), 10);
  EXPECT_EQ(scenario.steps[2].takes[0].limit.rate().numerator(), 20);
  EXPECT_EQ(scenario.steps[1].changed->name, "user");
}

struct Bad {
  const char* text;
  const char* complaint;
};

TEST(ScenarioParser, RefusesBadStepsAndSaysWhereAndWhy) {
  const Bad bad[] = {
      {R"({"at": 0, "expect": {"allowed": true, "remainig": 4}})",
       "step 1.expect: unknown field 'remainig'; known here: "},
      {R"({"at": 0, "costs": 2, "expect": {"allowed": true}})", "step 1: unknown field 'costs'"},
      {R"({"at": 0, "at": 1, "expect": {"allowed": true}})", "the field 'at' stands twice"},
      {R"({"expect": {"allowed": true}})", "step 1: the field 'at' is missing"},
      {R"({"at": 0})", "step 1: the field 'expect' is missing"},
      {R"({"at": 0, "expect": {}})", "step 1.expect: the field 'allowed' is missing"},
      {R"({"at": 0, "op": "refund", "expect": {}})", "step 1.expect: expects nothing"},
      {R"({"at": 0, "op": "refund", "expect": {"allowed": true}})", "unknown field 'allowed'"},
      {R"({"at": 0, "op": "refund", "repeat": 2})", "unknown field 'repeat'"},
      {R"({"at": 0, "op": "borrow", "expect": {"allowed": true}})", "'borrow' is none of take, peek, refund, change"},
      {R"({"at": 0, "limit": "usr", "expect": {"allowed": true}})", "step 1.limit: 'usr' is not defined in limits"},
      {R"({"at": 0, "limits": [{"limit": "user"}, {"limit": "user", "key": "b"}], "expect": {"allowed": true}})",
       "limits[1]: 'user' stands twice in one request"},
      {R"({"at": 0, "limits": [], "expect": {"allowed": true}})", "must be a list that is not empty"},
      {R"({"at": 0, "key": "b", "limits": [{"limit": "user"}], "expect": {"allowed": true}})", "unknown field 'key'"},
      {R"({"at": 0, "cost": 0, "expect": {"allowed": true}})", "step 1.cost: cost must be greater than 0"},
      {R"({"at": 0, "cost": "1", "expect": {"allowed": true}})", "step 1.cost: must be a number, but is string"},
      {R"({"at": 0, "cost": 1e400, "expect": {"allowed": true}})", "f.json: is not JSON"},
      {R"({"at": 0, "repeat": 1, "expect": {"allowed": 1, "rejected": 0}})",
       "step 1.repeat: must be an integer from 2"},
      {R"({"at": 0, "repeat": 18446744073709551615, "expect": {"allowed": 1, "rejected": 0}})",
       "step 1.repeat: must be"},
      {R"({"at": 0, "repeat": 3, "expect": {"allowed": 1, "rejected": 1}})", "must add up to repeat, 3"},
      {R"({"at": 0, "repeat": 3, "expect": {"allowed": true}})", "step 1.expect.allowed: must be an integer"},
      {R"({"at": 0, "every": "1s", "expect": {"allowed": true}})", "step 1.every: needs \"repeat\""},
      {R"({"at": 0, "repeat": 99999, "every": "99999d", "expect": {"allowed": 99999, "rejected": 0}})", "end of time"},
      {R"({"at": 0, "expect": {"allowed": 1}})", "must be true or false"},
      {R"({"at": 0, "expect": {"allowed": true, "remaining": 1.5}})", "remaining: must be an integer from 0"},
      {R"({"at": 0, "expect": {"allowed": true, "remaining": -1}})", "remaining: must be an integer from 0"},
      {R"({"at": 0, "expect": {"allowed": true, "reason": "limited"}})", "only a rejection has one"},
      {R"({"at": 0, "expect": {"allowed": false, "reason": "no"}})", "must be \"limited\" or"},
      {R"({"at": 0, "expect": {"allowed": false, "retry_after_ms": null}})", "is null with the reason"},
      {R"({"at": 0, "expect": {"allowed": false, "bucket": "other"}})", "'other' is no limit of this request"},
      {R"({"at": 0, "op": "change", "to": {"algorithm": "token_bucket", "rate": 10, "burst": 50}})", "changes nothing"},
      {R"({"at": 0, "op": "change", "to": {"algorithm": "leaky_bucket", "rate": 10, "burst": 50}})",
       "keep the algorithm"},
      {R"({"at": 0, "op": "change", "to": {"algorithm": "token_bucket", "rate": 1, "burst": 5}, "expect": {}})",
       "unknown field 'expect'"},
  };
  for (const Bad& one : bad) EXPECT_THAT(error_of(with_steps(one.text)), HasSubstr(one.complaint)) << one.text;
}

TEST(ScenarioParser, RefusesBadLimits) {
  const Bad bad[] = {
      {R"({"algorithm": "tokenbucket", "rate": 1, "burst": 1})",
       "f.json.limits.user.algorithm: 'tokenbucket' is none of"},
      {R"({"algorithm": "token_bucket", "rate": 0, "burst": 1})",
       "f.json.limits.user.rate: rate must be greater than 0"},
      {R"({"algorithm": "token_bucket", "rate": 1e10, "burst": 1})", "beyond the range"},
      {R"({"algorithm": "token_bucket", "rate": 1})", "the field 'burst' is missing"},
      {R"({"algorithm": "token_bucket", "rate": 1, "burst": 1, "window": "1s"})", "unknown field 'window'"},
      {R"({"algorithm": "token_bucket", "rate": {"tokens": 1, "per": "1s", "x": 1}, "burst": 1})", "unknown field 'x'"},
      {R"({"algorithm": "fixed_window", "limit": 1, "window": "1us"})", "window is smaller than the engine resolves"},
      {R"({"algorithm": "fixed_window", "rate": 1, "burst": 1})", "the field 'limit' is missing"},
      {R"(7)", "f.json.limits.user: must be an object, but is number"},
  };
  for (const Bad& one : bad) EXPECT_THAT(error_of(with_limit(one.text)), HasSubstr(one.complaint)) << one.text;
}

TEST(ScenarioParser, RefusesBadDocuments) {
  const std::string good = with_steps(R"({"at": 0, "expect": {"allowed": true}})");
  ASSERT_EQ(error_of(good), "no error");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    return std::string(good).replace(good.find(from), from.size(), to);
  };
  EXPECT_THAT(error_of(""), HasSubstr("f.json: is not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("f.json: must be an object, but is array"));
  EXPECT_THAT(error_of(good + "x"), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of(replaced("\"n\"", "\"No name\"")), HasSubstr("must be made of a-z, 0-9 and _"));
  EXPECT_THAT(error_of(replaced("Because.", "")), HasSubstr("f.json.why: must be a text that is not empty"));
  EXPECT_THAT(error_of(replaced("[1]", "[]")), HasSubstr("laws: must be a list that is not empty"));
  EXPECT_THAT(error_of(replaced("[1]", "[9]")), HasSubstr("must be numbers of laws, 1 to 8"));
  EXPECT_THAT(error_of(replaced("[1]", "[1, 1]")), HasSubstr("names law 1 twice"));
  EXPECT_THAT(error_of(replaced("\"why\"", "\"wy\"")), HasSubstr("the field 'why' is missing"));
  EXPECT_THAT(error_of(replaced("{\"name\"", "{\"also\": 1, \"name\"")), HasSubstr("unknown field 'also'"));
}

}  // namespace
}  // namespace sluice::scenario
