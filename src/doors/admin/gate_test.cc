// Who may see and change what, through the door.
#include "doors/admin/gate.h"

#include <gmock/gmock.h>

#include "doors/admin/admin_testing.h"

namespace sluice::doors::admin {
namespace {

using http::body_of;
using http::field_of;
using http::status_of_text;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBucket = "/admin/v1/buckets/api%7Ckey%7Cabc";
constexpr const char* kSeen[] = {"/", "/metrics", "/openapi.json", kBucket, "/admin/v1/top", "/admin/v1/build"};

TEST(AdminGate, NothingChangesWithoutATokenThatIsSet) {
  AdminUnderTest test;
  test.take("abc");
  for (const std::string& head : {std::string(), bearer("x"), bearer("")}) {
    const std::string response = test.ask("DELETE", kBucket, head);
    EXPECT_EQ(status_of_text(response), 403);
    EXPECT_THAT(response, HasSubstr("set admin.token"));
  }
  EXPECT_EQ(test.get_json(kBucket)["buckets"][0]["remaining"], 1);
}

TEST(AdminGate, OnLoopbackOnlyChangesNeedTheToken) {
  AdminUnderTest test({.token = Access("secret")});
  test.take("abc");
  for (const char* path : kSeen) EXPECT_EQ(status_of_text(test.get(path)), 200) << path;
  for (const std::string& head : {std::string(), bearer("secre"), bearer("secret2"), bearer("SECRET")}) {
    const std::string response = test.ask("DELETE", kBucket, head);
    EXPECT_EQ(status_of_text(response), 401);
    EXPECT_EQ(field_of(response, "WWW-Authenticate"), "Bearer realm=\"sluice\"");
  }
  EXPECT_EQ(test.get_json(kBucket)["buckets"][0]["remaining"], 1);
  EXPECT_EQ(status_of_text(test.ask("DELETE", kBucket, bearer("secret"))), 200);
  EXPECT_EQ(test.get_json(kBucket)["buckets"][0]["remaining"], 2);
}

TEST(AdminGate, ANameThatAnybodyCanHaveNeedsTheToken) {
  AdminUnderTest test({.token = Access("secret")});
  for (const char* host : {"localhost", "LocalHost:8090", "127.0.0.1", "127.0.0.1:8090", "[::1]", "[::1]:8090"}) {
    test.host = host;
    EXPECT_EQ(status_of_text(test.get("/metrics")), 200) << host;
  }
  for (const char* host :
       {"rebound.example", "rebound.example:8090", "127.0.0.1.rebound.example", "localhost.example"}) {
    test.host = host;
    EXPECT_EQ(status_of_text(test.get("/metrics")), 421) << host;
    EXPECT_EQ(status_of_text(test.ask("GET", "/metrics", bearer("secret"))), 200) << host;
    EXPECT_EQ(status_of_text(test.get("/livez")), 200) << host;
  }
}

TEST(AdminGate, BeyondLoopbackEverythingNeedsTheToken) {
  AdminUnderTest test({.token = Access("secret"), .is_beyond_loopback = true});
  for (const char* path : kSeen) {
    EXPECT_EQ(status_of_text(test.get(path)), 401) << path;
    EXPECT_EQ(status_of_text(test.ask("GET", path, bearer("secret"))), 200) << path;
  }
  EXPECT_EQ(status_of_text(test.ask("POST", "/admin/v1/explain", "", "{}")), 401);
  EXPECT_EQ(status_of_text(test.ask("POST", "/admin/v1/explain", bearer("secret"), "{}")), 200);
  EXPECT_EQ(status_of_text(test.get("/admin/v1/nothing")), 401) << "what exists is not told";
}

// The head alone: what follows is not waited for.
TEST(AdminGate, WhoMayNotSendABodyIsToldBeforeItComes) {
  const auto heads = {"POST /admin/v1/rules", "PUT /admin/v1/rules/7", "PUT /admin/v1/rules/file",
                      "PATCH /admin/v1/rules/file", "PUT /admin/v1/rules/top-level/jwt"};
  AdminUnderTest test;
  test.sources.table.open = [] { return sql::Outcome<std::unique_ptr<rules::RuleTable>>(sql::Fault{}); };
  const auto ask = [&](const std::string& line, const std::string& fields) {
    net::Output output;
    test.session = test.door->make(test.peer);
    const auto consumed = test.session->on_bytes(
        line + " HTTP/1.1\r\nHost: " + test.host + "\r\nContent-Length: 9\r\n" + fields + "\r\n", output);
    return std::pair(output.bytes().empty() ? 0 : status_of_text(output.bytes()), consumed.next == net::Next::kClose);
  };
  for (const bool is_beyond_loopback : {false, true}) {
    test.set({.token = Access("secret"), .is_beyond_loopback = is_beyond_loopback});
    for (const char* line : heads) {
      EXPECT_EQ(ask(line, "Expect: 100-continue\r\n"), std::pair(401, true)) << line;
      EXPECT_EQ(ask(line, bearer("wrong")), std::pair(401, true)) << line;
      EXPECT_EQ(ask(line, bearer("secret")), std::pair(0, false)) << line;
    }
    EXPECT_EQ(ask("DELETE " + std::string(kBucket), ""), std::pair(401, true));
    EXPECT_EQ(ask("POST /admin/v1/explain", ""), is_beyond_loopback ? std::pair(401, true) : std::pair(0, false));
  }
  test.set({});
  for (const char* line : heads) EXPECT_EQ(ask(line, ""), std::pair(403, true)) << line;
  test.host = "rebound.example";
  EXPECT_EQ(ask("POST /admin/v1/explain", ""), std::pair(421, true));
}

TEST(AdminGate, BeyondLoopbackWithoutATokenNothingIsShown) {
  AdminUnderTest test({.is_beyond_loopback = true});
  for (const char* path : kSeen) EXPECT_EQ(status_of_text(test.get(path)), 403) << path;
  EXPECT_EQ(status_of_text(test.ask("DELETE", kBucket, bearer("x"))), 403);
}

TEST(AdminGate, ProbesAreForAllButTheirDetailsAreNot) {
  AdminUnderTest test({.token = Access("secret"), .is_beyond_loopback = true});
  test.rules = {.has_file = true, .are_current = false, .faults = {"rules.json:3: a secret key"}};
  EXPECT_EQ(status_of_text(test.get("/livez")), 200);
  EXPECT_EQ(body_of(test.get("/readyz")), R"({"status":"degraded"})");
  EXPECT_THAT(test.ask("GET", "/readyz", bearer("wrong")), Not(HasSubstr("a secret key")));
  EXPECT_THAT(test.ask("GET", "/readyz", bearer("secret")), HasSubstr("a secret key"));
}

}  // namespace
}  // namespace sluice::doors::admin
