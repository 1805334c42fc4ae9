// The top level of a table, through the door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doors/admin/rules_testing.h"

namespace sluice::doors::admin {
namespace {

using http::field_of;
using http::status_of_text;
using nlohmann::json;
using ::testing::HasSubstr;

class TopLevelApi : public ::testing::Test {
 protected:
  std::string put_new(const std::string& field, const std::string& value) {
    return api.test.ask("PUT", "/admin/v1/rules/top-level/" + field, bearer("anns") + "If-None-Match: *\r\n", value);
  }

  RulesUnderTest api;
};

TEST_F(TopLevelApi, AValueIsMadeShownChangedAndTakenOut) {
  EXPECT_EQ(status_of_text(put_new("headers", R"(["x"])")), 204);
  const std::string shown = api.ask("GET", "/top-level/headers");
  EXPECT_EQ(json_of(shown), json::array({"x"}));
  const std::string tag = field_of(shown, "ETag");
  EXPECT_EQ(json_of(api.ask("GET", "/top-level")), (json{{"headers", json::array({"x"})}}));
  EXPECT_EQ(status_of_text(api.ask("PUT", "/top-level/headers", R"(["ietf", "x"])", tag)), 204);
  const std::string late = api.ask("PUT", "/top-level/headers", "[]", tag);
  EXPECT_EQ(status_of_text(late), 412);
  EXPECT_EQ(json_of(late)["current"], json::array({"ietf", "x"}));
  EXPECT_NE(field_of(late, "ETag"), tag);
  EXPECT_EQ(status_of_text(api.ask("DELETE", "/top-level/headers", "", field_of(late, "ETag"))), 204);
  EXPECT_EQ(status_of_text(api.ask("GET", "/top-level/headers")), 404);
  const std::string gone = api.ask("DELETE", "/top-level/headers", "", "*");
  EXPECT_EQ(status_of_text(gone), 404);
  EXPECT_EQ(json_of(gone)["detail"], "The table says nothing of this at its top level.");
  EXPECT_EQ(api.changed, 3);
}

TEST_F(TopLevelApi, HasNothingBelowAField) {
  put_new("headers", R"(["x"])");
  for (const char* below : {"/top-level/", "/top-level/x/headers", "/top-level/headers/x", "/top-level//headers"}) {
    for (const char* method : {"GET", "DELETE"}) {
      EXPECT_EQ(status_of_text(api.ask(method, below, "", "*")), 404) << method << below;
    }
    EXPECT_EQ(status_of_text(put_new(std::string(below).substr(11), R"(["x"])")), 404) << below;
  }
  EXPECT_EQ(status_of_text(api.ask("GET", "/top-level/headers")), 200);
}

TEST_F(TopLevelApi, WhatIsThereIsNotMadeAnew) {
  put_new("headers", R"(["x"])");
  EXPECT_EQ(status_of_text(put_new("headers", R"(["ietf"])")), 412);
  EXPECT_EQ(status_of_text(api.ask("PUT", "/top-level/headers", "[]")), 428);
  EXPECT_EQ(status_of_text(api.ask("PUT", "/top-level/jwt", "{}", "*")), 412);
}

TEST_F(TopLevelApi, ValuesAreCheckedAsThoseOfAFile) {
  const std::string response = put_new("headers", "[\n\"y\"]");
  EXPECT_EQ(status_of_text(response), 422);
  const json fault = json_of(response)["faults"][0];
  EXPECT_EQ(fault["field"], "top level: headers[0]");
  EXPECT_EQ(fault["line"], 2);
  EXPECT_THAT(put_new("heders", "[]"), HasSubstr("did you mean 'headers'?"));
  EXPECT_THAT(put_new("rules", "[]"), HasSubstr("rules have rows of their own"));
}

TEST_F(TopLevelApi, SecretsAreOnlyForThoseWithAToken) {
  put_new("jwt", R"({"keys": [{"algorithm": "HS256", "secret": "0123456789012345678901234567890123456789"}]})");
  for (const char* below : {"/top-level", "/top-level/jwt", "/history"}) {
    EXPECT_EQ(status_of_text(api.get(below)), 401) << below;
    EXPECT_THAT(api.ask("GET", below), HasSubstr("0123456789")) << below;
  }
  EXPECT_THAT(api.get(""), ::testing::Not(HasSubstr("0123456789")));
}

}  // namespace
}  // namespace sluice::doors::admin
