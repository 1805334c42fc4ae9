#include "telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "telemetry/log_line.h"

namespace sluice::telemetry {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

struct Lines final : LineSink {
  void write(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

struct StoppedTime final : WallTime {
  int64_t unix_ms() override { return ms; }
  int64_t ms = 1'767'323'045'678;
};

struct LogTest : testing::Test {
  const std::string& line() const { return sink.lines.at(0); }

  Lines sink;
  StoppedTime time;
};

TEST_F(LogTest, WritesForPeople) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  log.info("listening", {{"door", "http"}, {"port", 8080}, {"tls", false}, {"share", 0.5}, {"size", size_t{7}}});
  log.error("gone");
  EXPECT_THAT(sink.lines,
              ElementsAre("2026-01-02T03:04:05.678Z info  listening door=http port=8080 tls=false share=0.5 size=7\n",
                          "2026-01-02T03:04:05.678Z error gone\n"));
}

TEST_F(LogTest, WritesForPrograms) {
  Log log({LogFormat::kJson, LogLevel::kInfo, sink, time});
  log.warn("a \"b\"\n", {{"key", "\x1b[31m\xff\\"}, {"n", -1}, {"nan", std::nan("")}, {"ok", true}});
  EXPECT_THAT(sink.lines,
              ElementsAre("{\"time\":\"2026-01-02T03:04:05.678Z\",\"level\":\"warn\",\"message\":\"a "
                          "\\\"b\\\"\\u000a\",\"key\":\"\\u001b[31m\xef\xbf\xbd\\\\\",\"n\":-1,\"nan\":null,"
                          "\"ok\":true}\n"));
}

TEST_F(LogTest, QuotesValuesThatAreNotOneWord) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  log.info("m", {{"a", ""}, {"b", "x y"}, {"c", "x=\"y\""}, {"d", "\u00e9"}});
  EXPECT_THAT(line(), EndsWith(" m a=\"\" b=\"x y\" c=\"x=\\\"y\\\"\" d=\u00e9\n"));
}

TEST_F(LogTest, LetsNothingLookLikeAnotherLineOrReachTheTerminal) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  log.info("a\nb\t", {{"key", "\r\n2026 error\x1b[2J\xc2\x9b\xff\x7f"}});
  EXPECT_THAT(line(), EndsWith(" a\\nb\\t key=\"\\r\\n2026 error\\x1b[2J\\xc2\\x9b\\xff\\x7f\"\n"));
}

TEST_F(LogTest, CutsWhatIsTooLong) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  log.info("m", {{"key", std::string(1'000'000, 'a')}});
  EXPECT_LT(line().size(), 1'200U);
  EXPECT_THAT(line(), EndsWith("aaa...\n"));
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
  Log log({LogFormat::kText, LogLevel::kWarn, sink, time});
  log.debug("a");
  log.info("b");
  EXPECT_FALSE(log.is_on(LogLevel::kInfo));
  EXPECT_TRUE(sink.lines.empty());
  log.warn("c");
  EXPECT_EQ(sink.lines.size(), 1U);
}

TEST_F(LogTest, TellsHowManyItSwallowed) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  Repeats repeats(std::chrono::seconds(10));
  for (int i = 0; i < 5; ++i) log.write_seldom(repeats, LogLevel::kWarn, "store away", {{"store", "redis"}});
  time.ms += 10'000;
  log.write_seldom(repeats, LogLevel::kWarn, "store away", {{"store", "redis"}});
  EXPECT_THAT(sink.lines, ElementsAre("2026-01-02T03:04:05.678Z warn  store away store=redis\n",
                                      "2026-01-02T03:04:15.678Z warn  store away store=redis swallowed=4\n"));
}

TEST_F(LogTest, KeepsTheLinesOfSeveralThreadsWhole) {
  Log log({LogFormat::kText, LogLevel::kInfo, sink, time});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) log.info("m", {{"key", "value"}});
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sink.lines.size(), 800U);
  for (const std::string& written : sink.lines) EXPECT_EQ(written, line());
}

TEST(StderrSink, WritesEachLineAsItIs) {
  testing::internal::CaptureStderr();
  stderr_sink().write("one\n");
  stderr_sink().write("two\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "one\ntwo\n");
}

TEST(UtcText, KnowsTheCalendar) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(utc_text(951'782'400'000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(utc_text(INT64_MAX), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(utc_text(INT64_MIN), "0000-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace sluice::telemetry
