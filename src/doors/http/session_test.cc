// Requests over a connection: how they may be cut, follow one another, and end.
#include "doors/http/session.h"

#include <gtest/gtest.h>

#include "doors/http/door_testing.h"
#include "doors/http/echo_testing.h"

namespace sluice::doors::http {
namespace {

constexpr std::string_view kGet = "GET /a?b=1 HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string kGetEcho = echoed("GET /a?b=1|h||203.0.113.7|Host=h");
constexpr std::string_view kPost = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
const std::string kPostEcho = echoed("POST /p?|h|hello|203.0.113.7|Host=h|Content-Length=5");
constexpr std::string_view kChunked =
    "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n1\r\n!\r\n0\r\nT: v\r\n\r\n";
const std::string kChunkedEcho = echoed("PUT /c?|h|hello!|203.0.113.7|Host=h|Transfer-Encoding=chunked");

TEST(HttpSession, AnswersARequest) {
  EchoConnection connection;
  EXPECT_EQ(connection.send(kGet), kGetEcho);
  EXPECT_FALSE(connection.is_closed);
  EXPECT_EQ(connection.unread, "");
}

TEST(HttpSession, AnswersRequestsThatComeTogetherInTheirOrder) {
  EchoConnection connection;
  std::string all;
  std::string expected;
  for (int i = 0; i < 10; ++i) {
    for (const std::string_view request : {kGet, kPost, kChunked}) all += request;
    expected += kGetEcho + kPostEcho + kChunkedEcho;
  }
  EXPECT_EQ(connection.send(all), expected);
}

TEST(HttpSession, GivesTheSameAnswersWhereverTheBytesAreCut) {
  const std::string all = std::string(kGet) + std::string(kPost) + std::string(kChunked) + std::string(kGet);
  const std::string expected = kGetEcho + kPostEcho + kChunkedEcho + kGetEcho;
  for (size_t cut = 0; cut <= all.size(); ++cut) {
    EchoConnection connection;
    const std::string first = connection.send(std::string_view(all).substr(0, cut));
    EXPECT_EQ(first + connection.send(std::string_view(all).substr(cut)), expected) << cut;
  }
}

TEST(HttpSession, GivesTheSameAnswersToBytesThatComeOneByOne) {
  EchoConnection connection;
  std::string got;
  for (const std::string_view request : {kGet, kPost, kChunked, kGet}) {
    for (const char& byte : request) got += connection.send({&byte, 1});
  }
  EXPECT_EQ(got, kGetEcho + kPostEcho + kChunkedEcho + kGetEcho);
}

TEST(HttpSession, LooksAtALargeBodyThatComesInSmallPiecesOnlyOnce) {
  // A million calls that each looked at all there is would take hours; the test would not end.
  const std::string body(size_t{1} << 20, 'x');
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  const std::string chunks = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n";
  for (const std::string& all : {head + body, chunks + body + "\r\n0\r\n\r\n"}) {
    EchoConnection connection;
    for (size_t size = 1; size < all.size(); ++size) {
      ASSERT_EQ(connection.session.on_bytes({all.data(), size}, connection.output).bytes, 0u);
    }
    EXPECT_EQ(connection.session.on_bytes(all, connection.output).bytes, all.size());
    EXPECT_GT(connection.output.size(), body.size());
  }
}

TEST(HttpSession, ClosesWhenTheClientSaysSo) {
  EchoConnection connection;
  EXPECT_EQ(connection.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + std::string(kGet)),
            echoed("GET /?|h||203.0.113.7|Host=h|Connection=close", "Connection: close\r\n"));
  EXPECT_TRUE(connection.is_closed);
}

TEST(HttpSession, ClosesAfterARequestOfHttp10UnlessItIsToStayOpen) {
  EchoConnection one;
  EXPECT_EQ(one.send("GET / HTTP/1.0\r\n\r\n"), echoed("GET /?|||203.0.113.7", "Connection: close\r\n"));
  EXPECT_TRUE(one.is_closed);
  EchoConnection other;
  EXPECT_EQ(other.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
            echoed("GET /?|||203.0.113.7|Connection=keep-alive", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(other.is_closed);
}

TEST(HttpSession, AnswersHeadWithTheHeaderOfGetAndNoBody) {
  EchoConnection connection;
  const std::string body = "HEAD /?|h||203.0.113.7|Host=h";
  const std::string whole = echoed(body);
  EXPECT_EQ(connection.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"), whole.substr(0, whole.size() - body.size()));
}

TEST(HttpSession, AsksForTheBodyOfWhoeverWaitsToBeAsked) {
  constexpr std::string_view kHead = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  const std::string answer = echoed("POST /?|h|hi|203.0.113.7|Host=h|Content-Length=2|Expect=100-continue");
  EchoConnection waits;
  EXPECT_EQ(waits.send(kHead), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(waits.send("h"), "");
  EXPECT_EQ(waits.send("i"), answer);
  EchoConnection does_not_wait;
  EXPECT_EQ(does_not_wait.send(std::string(kHead) + "hi"), answer);
}

TEST(HttpSession, PassesOverEmptyLinesBetweenRequests) {
  EchoConnection connection;
  EXPECT_EQ(connection.send("\r\n" + std::string(kGet) + "\r\n\r\n" + std::string(kGet)), kGetEcho + kGetEcho);
}

TEST(HttpSession, ReadsATargetThatIsAWholeUri) {
  EchoConnection connection;
  EXPECT_EQ(connection.send("GET http://other:81/x?y HTTP/1.1\r\nHost: h\r\n\r\n"),
            echoed("GET /x?y|other:81||203.0.113.7|Host=h"));
}

TEST(HttpSession, StopsWhenTheOutputIsFullAndGoesOnWhenItWasSent) {
  EchoConnection connection;
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x');
  std::string all;
  for (int i = 0; i < 10; ++i) all += post;
  size_t consumed = 0;
  size_t answered = 0;
  for (int rounds = 0; consumed < all.size(); ++rounds) {
    ASSERT_LT(rounds, 5);
    const size_t size = connection.session.on_bytes(std::string_view(all).substr(consumed), connection.output).bytes;
    EXPECT_EQ(size, std::min(3 * post.size(), all.size() - consumed));
    consumed += size;
    answered += connection.output.size();
    EXPECT_EQ(connection.session.on_bytes(std::string_view(all).substr(consumed), connection.output).bytes,
              connection.output.has_room() && consumed < all.size() ? post.size() : 0u);
    connection.output.clear();
  }
  EXPECT_GT(answered, 1'000'000u);
}

TEST(HttpSession, TellsTheLastRequestBeforeAStopThatNoOtherWillBeAnswered) {
  DoorUnderTest door;
  door.session->on_drain();
  const std::string got = door.send(std::string(kGet) + std::string(kGet));
  EXPECT_EQ(got.find("Connection: close"), got.rfind("Connection: close"));
  EXPECT_GT(got.find("Connection: close"), got.rfind("HTTP/1.1 404"));
  EXPECT_TRUE(door.is_closed);
}

TEST(HttpSession, IsSmallWhileItSaysNothing) { EXPECT_LE(sizeof(Session), 128u); }

}  // namespace
}  // namespace sluice::doors::http
