#include "doors/request_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/json_reader.h"

namespace sluice::doors {
namespace {

using testing::ElementsAre;

MATCHER_P2(IsField, name, value, "") { return arg.name == name && arg.value == value; }

std::variant<DescribedRequest, RequestFault> described(std::string_view json) {
  return describe_request(std::get<documents::Node>(documents::read_json(json)));
}

std::string fault_of(std::string_view json) {
  const auto result = described(json);
  const auto* fault = std::get_if<RequestFault>(&result);
  return fault != nullptr ? fault->message : "no fault";
}

TEST(RequestJson, IsReadInFull) {
  const auto result = described(R"({
    "method": "GET", "path": "/v1/x", "host": "api.example.com", "ip": "203.0.113.7", "cost": 2.5,
    "headers": {"X-Api-Key": "abc", "Accept": ["a", "b"]}, "query": {"page": 2, "deep": true},
    "attributes": {"user_id": "42"}})");
  const rules::Request& request = std::get<DescribedRequest>(result).request();
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/v1/x");
  EXPECT_EQ(request.host, "api.example.com");
  EXPECT_EQ(request.ip, "203.0.113.7");
  EXPECT_EQ(request.cost, Tokens::micros(2'500'000));
  EXPECT_THAT(request.headers,
              ElementsAre(IsField("X-Api-Key", "abc"), IsField("Accept", "a"), IsField("Accept", "b")));
  EXPECT_THAT(request.query, ElementsAre(IsField("page", "2"), IsField("deep", "true")));
  EXPECT_THAT(request.attributes, ElementsAre(IsField("user_id", "42")));
}

TEST(RequestJson, MayLeaveOutAnything) {
  const auto result = described("{}");
  const rules::Request& request = std::get<DescribedRequest>(result).request();
  EXPECT_EQ(request.path, "");
  EXPECT_FALSE(request.cost);
  EXPECT_TRUE(request.headers.empty());
}

TEST(RequestJson, StaysWholeWhenItIsMoved) {
  auto result = described(R"({"path": "/a?b=1", "headers": {"h": "v"}})");
  const DescribedRequest moved = std::move(std::get<DescribedRequest>(result));
  EXPECT_EQ(moved.request().path, "/a?b=1");
  EXPECT_THAT(moved.request().headers, ElementsAre(IsField("h", "v")));
  EXPECT_THAT(moved.request().query, ElementsAre(IsField("b", "1")));
}

TEST(RequestJson, ReadsTheQueryOfThePathUnlessOneIsGiven) {
  const auto of_path = described(R"({"path": "/a?b=x%20y&c#d=1"})");
  EXPECT_THAT(std::get<DescribedRequest>(of_path).request().query, ElementsAre(IsField("b", "x y"), IsField("c", "")));
  const auto given = described(R"({"path": "/a?b=1", "query": {}})");
  EXPECT_TRUE(std::get<DescribedRequest>(given).request().query.empty());
}

TEST(RequestJson, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of("[]"), "request must be an object, but is a list");
  EXPECT_EQ(fault_of(R"({"methd": "GET"})"),
            "there is no field 'methd': a request has method, path, host, ip, headers, query, attributes and cost");
  EXPECT_EQ(fault_of(R"({"path": 1})"), "path must be a string, but is a number");
  EXPECT_EQ(fault_of(R"({"path": "/", "path": "/x"})"), "field 'path' stands twice");
  EXPECT_EQ(fault_of(R"({"headers": ["a"]})"), "headers must be an object, but is a list");
  EXPECT_EQ(fault_of(R"({"headers": {"a": {}}})"), "headers.a must be a string, number or boolean, but is an object");
  EXPECT_EQ(fault_of(R"({"attributes": {"a": [null]}})"),
            "attributes.a must be a string, number or boolean, but is null");
  EXPECT_EQ(fault_of(R"({"cost": "1"})"), "cost must be a number, but is a string");
  for (const char* cost : {"0", "-1", "1e13", "1e308"}) {
    EXPECT_EQ(fault_of(std::string(R"({"cost": )") + cost + "}"),
              std::string("cost must be a number above 0 and at most 1e12, but is ") + cost);
  }
}

}  // namespace
}  // namespace sluice::doors
