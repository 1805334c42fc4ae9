// The examples of docs/headers.md are what the code says.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "doors/answers_testing.h"
#include "doors/decision_json.h"
#include "doors/headers.h"
#include "doors/problem.h"
#include "doors/status.h"

namespace sluice::doors {
namespace {

using nlohmann::json;

std::string page() {
  std::ifstream file(SLUICE_HEADERS_PAGE);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What stands between the fences of this kind, in order.
std::vector<std::string> blocks(const std::string& kind) {
  const std::string text = page();
  const std::string fence = "```" + kind + "\n";
  std::vector<std::string> found;
  for (size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

AnswerUnderTest allowed() {
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens::micros(7'250'000), .reset_after = Duration::millis(1275)});
  return made;
}

AnswerUnderTest rejected() {
  const Duration wait = Duration::millis(75);
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens::micros(250'000),
               .reset_after = Duration::millis(1975),
               .allowed = false,
               .retry_after = wait});
  made.reject(limiter::Reason::kExceeded, wait);
  return made;
}

std::string lines(AnswerUnderTest made, const std::string& first, Duration since_epoch) {
  HeaderFields headers;
  headers.render(made.answer(), {{.ietf = true, .legacy = true, .x = true}, since_epoch});
  std::string text = first + "\n";
  for (const HeaderField& field : headers.fields()) {
    text += std::string(field.name) + ": " + std::string(field.value) + "\n";
  }
  return text;
}

TEST(Page, ItsHeaderFieldsAreThoseOfTheExample) {
  const auto found = blocks("http");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], lines(allowed(), "HTTP/1.1 200 OK", Duration::millis(1'700'000'000'600)));
  EXPECT_EQ(found[1], lines(rejected(), "HTTP/1.1 429 Too Many Requests", Duration::millis(1'700'000'000'000)));
}

TEST(Page, ItsBodiesAreThoseOfTheExample) {
  const auto found = blocks("json");
  ASSERT_EQ(found.size(), 2u);
  auto made = rejected();
  std::string problem;
  JsonWriter problem_writer(problem);
  write_problem(problem_writer, made.answer());
  EXPECT_EQ(json::parse(found[0]), json::parse(problem));
  std::string decision;
  JsonWriter decision_writer(decision);
  write_decision(decision_writer, made.answer());
  EXPECT_EQ(json::parse(found[1]), json::parse(decision));
}

TEST(Page, EveryReasonIsInItsTableWithItsStatus) {
  const std::string text = page();
  for (const StatusRow& row : kStatusTable) {
    if (row.reason == limiter::Reason::kNone) continue;
    auto made = rejected();
    made.answer().reason = row.reason;
    const std::string name = "`" + std::string(limiter::reason_text(made.answer())) + "`";
    const size_t at = text.find("\n| " + name);
    ASSERT_NE(at, std::string::npos) << name;
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at);
    EXPECT_NE(line.find("| " + std::to_string(row.status) + " |"), std::string::npos) << line;
    const std::string type(row.problem_type.substr(row.problem_type.rfind('#') + 1));
    EXPECT_NE(line.find("| `" + type + "` |"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace sluice::doors
