#include "config/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::config {
namespace {

Addresses good(std::string_view text) {
  const auto parsed = parse_addresses(text);
  const auto* problem = std::get_if<Problem>(&parsed);
  EXPECT_EQ(problem, nullptr) << text << ": " << (problem ? problem->message : "");
  return problem ? Addresses{} : std::get<Addresses>(parsed);
}

Problem bad(std::string_view text) {
  auto parsed = parse_addresses(text);
  const auto* problem = std::get_if<Problem>(&parsed);
  EXPECT_NE(problem, nullptr) << text;
  return problem ? *problem : Problem{};
}

TEST(Addresses, AreHostsWithPortsAndLocalSockets) {
  EXPECT_EQ(good("127.0.0.1:8080"), (Addresses{{"127.0.0.1", 8080, ""}}));
  EXPECT_EQ(good("[::1]:80"), (Addresses{{"::1", 80, ""}}));
  EXPECT_EQ(good("[0:0:0:0:0:0:0:1]:80"), (Addresses{{"::1", 80, ""}}));
  EXPECT_EQ(good(":0"), (Addresses{{"", 0, ""}}));
  EXPECT_EQ(good("localhost:65535"), (Addresses{{"127.0.0.1", 65535, ""}}));
  EXPECT_EQ(good("unix:/run/a.sock"), (Addresses{{"", 0, "/run/a.sock"}}));
  EXPECT_EQ(good("off"), Addresses{});
}

TEST(Addresses, MayBeSeveral) {
  EXPECT_EQ(good("127.0.0.1:1, [::1]:1,unix:/a").size(), 3U);
  EXPECT_EQ(good("127.0.0.1:0,127.0.0.1:0").size(), 2U);
  EXPECT_EQ(bad("127.0.0.1:1,127.0.0.1:1").message, "must name an address once, but names '127.0.0.1:1' twice");
  EXPECT_EQ(bad("off,127.0.0.1:1").message, "must not mix off with addresses");
}

TEST(Addresses, AreWrittenAsTheyAreRead) {
  for (const char* text : {"127.0.0.1:8080", "[::1]:80", ":0", "unix:/run/a.sock"}) {
    EXPECT_EQ(good(text).at(0).text(), text);
  }
}

TEST(Addresses, KnowWhetherOthersCanReachThem) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "localhost:1", "unix:/a"}) {
    EXPECT_TRUE(good(text).at(0).is_loopback()) << text;
  }
  for (const char* text : {":1", "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1", "[::2]:1", "[1::1]:1",
                           "[::ffff:10.0.0.1]:1", "[7f00::1]:1"}) {
    EXPECT_FALSE(good(text).at(0).is_loopback()) << text;
  }
}

TEST(Addresses, ThatAreNoneSayWhatToWrite) {
  EXPECT_EQ(bad("").message, "must be host:port, [ipv6]:port, :port or unix:/path, or off, but is empty");
  EXPECT_EQ(bad("8080").hint, "write 127.0.0.1:8080, or :8080 for every address of this machine");
  EXPECT_EQ(bad("127.0.0.1").hint, "the port is missing");
  EXPECT_EQ(bad("::1:80").hint, "write IPv6 in brackets: [::1]:8080");
  EXPECT_EQ(bad("a.example:80").hint, "names are not resolved: write a numeric address, or localhost");
  EXPECT_EQ(bad("unix:run").hint, "the path must begin with /: unix:/run/sluice/http.sock");
  EXPECT_THAT(bad("unix:/" + std::string(107, 'a')).hint, testing::HasSubstr("at most 107 bytes, but has 108"));
  for (const char* text : {"127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:8o", "127.0.0.1: 80"}) {
    EXPECT_EQ(bad(text).hint, "a port is a number from 0 to 65535") << text;
  }
  for (const char* text :
       {"127.0.0:1", "127.0.0.1.1:1", "[]:1", "[::1%lo]:1", "[127.0.0.1]:1", "[::1:1", "1.2.3.4:1,"}) {
    bad(text);
  }
  bad(std::string_view("127.0.0.1\0:1", 12));
}

}  // namespace
}  // namespace sluice::config
