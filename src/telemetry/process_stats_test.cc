#include "telemetry/process_stats.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice::telemetry {
namespace {

using testing::HasSubstr;

TEST(ProcessStats, ReadsAProgramWithBracketsInItsName) {
  const auto stat = parse_proc_stat(
      "7 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 5000000 123 18446744073709551615 1\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->user_ticks, 11U);
  EXPECT_EQ(stat->system_ticks, 12U);
  EXPECT_EQ(stat->start_ticks, 4242U);
  EXPECT_EQ(stat->virtual_bytes, 5'000'000U);
  EXPECT_EQ(stat->resident_pages, 123U);
}

TEST(ProcessStats, AreNothingForWhatIsCutShort) {
  EXPECT_FALSE(parse_proc_stat("").has_value());
  EXPECT_FALSE(parse_proc_stat("7 (a) S 1 2 3").has_value());
}

TEST(ProcessStats, TellOfThisProcess) {
  const auto before = read_process_stats();
  ASSERT_TRUE(before.has_value());
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const auto after = read_process_stats();
  close(fd);
  EXPECT_EQ(after->open_fds, before->open_fds + 1);
  EXPECT_GT(after->resident_bytes, 100'000U);
  EXPECT_GT(after->virtual_bytes, after->resident_bytes);
  EXPECT_GT(after->max_fds, after->open_fds);
  const double now = static_cast<double>(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  // The kernel tells when it started in whole seconds.
  EXPECT_NEAR(after->start_time_seconds, now, 600);
}

TEST(ProcessStats, AreTheFamiliesThatThePageNames) {
  Exposition out;
  write_process_stats({1.5, 1, 2, 3, 4, 5}, out);
  std::ifstream file(SLUICE_METRICS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  size_t families = 0;
  for (size_t at = 0; (at = out.text().find("# TYPE ", at)) != std::string::npos; ++families) {
    at += 7;
    const std::string name = out.text().substr(at, out.text().find(' ', at) - at);
    EXPECT_THAT(page, HasSubstr("| `" + name + "` |"));
  }
  EXPECT_EQ(families, 6U);
  EXPECT_THAT(out.text(), HasSubstr("\nprocess_cpu_seconds_total 1.5\n"));
}

}  // namespace
}  // namespace sluice::telemetry
