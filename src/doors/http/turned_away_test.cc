// Who may not come in is told by the head of the request: nothing of a body is waited for, or kept.
#include <gtest/gtest.h>

#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

const PublicSettings kWithToken{.access = Access("secret")};
constexpr std::string_view kBearer = "Authorization: Bearer secret\r\n";
constexpr std::string_view kBody = R"({"key": "k", "rate": 1, "burst": 5})";

std::string head(std::string_view fields, std::string_view path = "/v1/check") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

std::string length_of(std::string_view body) { return "Content-Length: " + std::to_string(body.size()) + "\r\n"; }

TEST(HttpTurnedAway, BeforeABodyHasCome) {
  for (const char* fields :
       {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nExpect: 100-continue\r\n", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
        "Authorization: Bearer wrong\r\nContent-Length: 5\r\n"}) {
    for (const char* path : {"/v1/check", "/v1/decision", "/nothing"}) {
      DoorUnderTest door(kWithToken);
      const std::string got = door.send(head(fields, path));
      EXPECT_EQ(status_of_text(got), 401) << fields << path;
      EXPECT_EQ(field_of(got, "WWW-Authenticate"), "Bearer realm=\"sluice\"");
      EXPECT_EQ(field_of(got, "Connection"), "close") << "where the body ends is not looked for";
      EXPECT_TRUE(door.is_closed);
      EXPECT_EQ(door.received, "") << "nothing is kept";
    }
  }
}

TEST(HttpTurnedAway, AlikeWhereverTheBytesAreCut) {
  const std::string all = head(length_of(kBody)) + std::string(kBody) + head("");
  DoorUnderTest whole(kWithToken);
  const std::string expected = whole.send(all);
  EXPECT_EQ(status_of_text(expected), 401);
  EXPECT_EQ(expected.find("HTTP/1.1", 1), expected.npos) << "what follows a body that is not read is no request";
  for (size_t cut = 0; cut <= all.size(); ++cut) {
    DoorUnderTest door(kWithToken);
    const std::string first = door.send(std::string_view(all).substr(0, cut));
    EXPECT_EQ(first + door.send(std::string_view(all).substr(cut)), expected) << cut;
  }
}

TEST(HttpTurnedAway, WithoutABodyTheConnectionStays) {
  DoorUnderTest door(kWithToken);
  for (const char* fields : {"", "Content-Length: 0\r\n"}) {
    const std::string got = door.send(head(fields));
    EXPECT_EQ(status_of_text(got), 401);
    EXPECT_EQ(field_of(got, "Connection"), "none");
    EXPECT_FALSE(door.is_closed);
  }
  EXPECT_EQ(status_of_text(door.send(head(std::string(kBearer) + length_of(kBody)) + std::string(kBody))), 200);
}

TEST(HttpTurnedAway, TheLastBeforeAStopIsToldSo) {
  DoorUnderTest door(kWithToken);
  door.session->on_drain();
  EXPECT_EQ(field_of(door.send(head("")), "Connection"), "close");
  EXPECT_TRUE(door.is_closed);
}

TEST(HttpTurnedAway, NobodyWithTheToken) {
  DoorUnderTest door(kWithToken);
  EXPECT_EQ(door.send(head(std::string(kBearer) + length_of(kBody) + "Expect: 100-continue\r\n")),
            "HTTP/1.1 100 Continue\r\n\r\n");
  std::string got;
  for (const char& byte : kBody) got += door.send({&byte, 1});
  EXPECT_EQ(status_of_text(got), 200);
  EXPECT_FALSE(door.is_closed);
}

TEST(HttpTurnedAway, NobodyFromAnOpenRoute) {
  DoorUnderTest door(kWithToken);
  EXPECT_EQ(door.send(head("Content-Length: 2\r\n", "/")), "");
  EXPECT_EQ(status_of_text(door.send("{}")), 405);
  EXPECT_FALSE(door.is_closed);
}

}  // namespace
}  // namespace sluice::doors::http
