// The examples of docs/http.md, run in their order on a door with the page's own rules.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

using nlohmann::json;

std::string page() {
  std::ifstream file(SLUICE_HTTP_PAGE);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What stands between the fences of this kind, in order.
std::vector<std::string> blocks(const std::string& kind) {
  const std::string text = page();
  const std::string fence = "\n```" + kind + "\n";
  std::vector<std::string> found;
  for (size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

// The lines up to the empty one, and what stands behind it.
struct Message {
  std::vector<std::string> lines;
  std::string body;
};

Message message_of(const std::string& text, const std::string& line_end) {
  Message message;
  size_t at = 0;
  for (size_t end = text.find(line_end); end != at && end != text.npos; end = text.find(line_end, at)) {
    message.lines.push_back(text.substr(at, end - at));
    at = end + line_end.size();
  }
  message.body = text.substr(std::min(at + line_end.size(), text.size()));
  return message;
}

// With the length of the body, which the page leaves to the client.
std::string bytes_of(const Message& request) {
  std::string bytes;
  for (const std::string& line : request.lines) bytes += line + "\r\n";
  if (!request.body.empty()) bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return bytes + "\r\n" + request.body;
}

TEST(HttpPage, ItsExamplesAreAnsweredAsItSays) {
  const auto rules = blocks("json");
  ASSERT_EQ(rules.size(), 1u);
  DoorUnderTest door({}, "{}");
  ASSERT_EQ(door.load(rules[0]), "");
  const auto examples = blocks("http");
  ASSERT_EQ(examples.size(), 20u);
  for (size_t i = 0; i < examples.size(); i += 2) {
    SCOPED_TRACE(examples[i]);
    const std::string got = door.send(bytes_of(message_of(examples[i], "\n")));
    Message response = message_of(got, "\r\n");
    std::erase_if(response.lines, [](const std::string& line) { return line.starts_with("Content-Length: "); });
    const Message expected = message_of(examples[i + 1], "\n");
    EXPECT_EQ(response.lines, expected.lines);
    if (expected.body.empty()) {
      EXPECT_EQ(response.body, "");
    } else {
      EXPECT_EQ(json::parse(response.body), json::parse(expected.body));
    }
  }
}

TEST(HttpPage, NamesEveryPathThatTheDoorNames) {
  DoorUnderTest door;
  const json index = json::parse(body_of(door.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
  ASSERT_EQ(index["paths"].size(), 8u);
  for (const std::string path : index["paths"])
    EXPECT_NE(page().find("\n| `" + path + "` |"), std::string::npos) << path;
}

}  // namespace
}  // namespace sluice::doors::http
