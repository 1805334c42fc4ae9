#include "doors/http/router.h"

#include <gtest/gtest.h>

#include "doors/http/target.h"

namespace sluice::doors::http {
namespace {

Handler says(std::string text) {
  return [text](const Request&, const net::Peer&, Response& response) { response.send({200, "text/plain", {}, text}); };
}

std::vector<Route> routes() {
  return {{"/", {"GET"}, says("index"), {}, Reach::kPath, true},
          {"/a/", {}, says("below a"), {}, Reach::kBelow},
          {"/a/b/", {}, says("below b"), {}, Reach::kBelow},
          {"/a/b/c", {"GET", "DELETE"}, says("c")}};
}

std::string ask(const Router& router, std::string_view method, std::string_view path, std::string_view token = {}) {
  net::Output output;
  std::string text;
  Response response(output, text, {});
  const Field field{"authorization", token};
  Request request;
  request.method = method;
  request.target = split_target(path);
  request.fields = {&field, 1};
  if (!router.turns_away(request, response)) router.handle(request, {}, response);
  return std::string(output.bytes());
}

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

TEST(HttpRouter, FindsTheExactPathBeforeTheLongestAboveIt) {
  const Router router(Access(), routes());
  EXPECT_EQ(last_line(ask(router, "GET", "/")), "index");
  EXPECT_EQ(last_line(ask(router, "GET", "/a/b/c?x")), "c");
  EXPECT_EQ(last_line(ask(router, "GET", "/a/b/d")), "below b");
  EXPECT_EQ(last_line(ask(router, "PURGE", "/a/x")), "below a");
}

TEST(HttpRouter, SaysThatThereIsNothing) {
  const Router router(Access(), routes());
  for (const char* path : {"/x", "/a", "/A/b/c", "//", "*"}) {
    const std::string got = ask(router, "GET", path);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 404 Not Found\r\n")) << got;
    EXPECT_EQ(last_line(got),
              R"({"type":"about:blank","title":"Not Found","status":404,"detail":"There is nothing at )" +
                  std::string(path) + R"(."})");
  }
}

TEST(HttpRouter, SaysWhichMethodsThereAre) {
  const Router router(Access(), routes());
  const std::string got = ask(router, "POST", "/a/b/c");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, DELETE\r\n")) << got;
  EXPECT_NE(got.find("/a/b/c takes GET, HEAD, DELETE."), got.npos);
  EXPECT_TRUE(ask(router, "HEAD", "/a/b/c").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(ask(router, "get", "/a/b/c").starts_with("HTTP/1.1 405 "));
}

TEST(HttpRouter, WantsTheTokenOnAllButOpenRoutes) {
  const Router router(Access("secret"), routes());
  EXPECT_EQ(last_line(ask(router, "GET", "/")), "index");
  EXPECT_EQ(last_line(ask(router, "GET", "/a/b/c", "Bearer secret")), "c");
  for (const char* token : {"", "Bearer", "Bearer Secret", "Basic secret", "secret"}) {
    const std::string got = ask(router, "GET", "/a/b/c", token);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"sluice\"\r\n")) << got;
  }
  EXPECT_TRUE(ask(router, "GET", "/nothing/here").starts_with("HTTP/1.1 401 ")) << "what exists is not told";
}

TEST(HttpRouter, AsksTheGuardOfARouteOnlyForWhatTheRouteTakes) {
  const Guard guard = [](const Request&, Response& response) {
    response.send_fault(403, "Not you.");
    return false;
  };
  const Router router(Access(), {{"/kept", {"GET"}, says("never"), guard}});
  EXPECT_TRUE(ask(router, "GET", "/kept").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask(router, "POST", "/kept").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(ask(router, "GET", "/other").starts_with("HTTP/1.1 404 "));
}

TEST(HttpTarget, IsSplitIntoHostPathAndQuery) {
  const auto split = [](std::string_view text) {
    const Target target = split_target(text);
    return std::string(target.host) + "|" + std::string(target.path) + "|" + std::string(target.query);
  };
  EXPECT_EQ(split("/a/b?c=d?e"), "|/a/b|c=d?e");
  EXPECT_EQ(split("/a?b#c?d"), "|/a|b");
  EXPECT_EQ(split("https://h:8/a?b"), "h:8|/a|b");
  EXPECT_EQ(split("http://h"), "h|/|");
  EXPECT_EQ(split("http://h?b"), "h|/|b");
  EXPECT_EQ(split("http://user:word@h/x"), "h|/x|");
  EXPECT_EQ(split("/to?u=http://h/x"), "|/to|u=http://h/x");
  EXPECT_EQ(split("//h/x"), "|//h/x|");
  EXPECT_EQ(split(""), "|/|");
  EXPECT_EQ(split("*"), "|*|");
}

}  // namespace
}  // namespace sluice::doors::http
