#include "redis/place.h"

#include <gmock/gmock.h>

namespace sluice::redis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Place place(std::string_view url) {
  auto read = read_place(url);
  if (const auto* why = std::get_if<std::string>(&read)) {
    ADD_FAILURE() << *why;
    return {};
  }
  return std::get<Place>(read);
}

std::string refusal(std::string_view url) {
  auto read = read_place(url);
  const auto* why = std::get_if<std::string>(&read);
  return why != nullptr ? *why : "read";
}

TEST(Place, OneServerWithAndWithoutAllThatMayBeLeftOut) {
  EXPECT_EQ(place("redis://db.example.com").addresses, (std::vector<Address>{{"db.example.com", 6379, ""}}));
  const Place full = place("redis://ann:p%40ss%3aw@10.0.0.1:7000/3");
  EXPECT_EQ(full.addresses, (std::vector<Address>{{"10.0.0.1", 7000, ""}}));
  EXPECT_EQ(full.credentials.user, "ann");
  EXPECT_EQ(full.credentials.password, "p@ss:w");
  EXPECT_EQ(full.database, 3);
  EXPECT_FALSE(full.is_encrypted);
  EXPECT_TRUE(place("rediss://:secret@[::1]:7001").is_encrypted);
  EXPECT_EQ(to_text(place("rediss://:secret@[::1]:7001").addresses[0]), "[::1]:7001");
}

TEST(Place, LocalSocketsSentinelsAndClusters) {
  const Place local = place("redis+unix:///run/redis.sock?db=2");
  EXPECT_EQ(local.addresses[0].path, "/run/redis.sock");
  EXPECT_EQ(local.database, 2);
  const Place watched = place("redis+sentinel://:pw@a,b:5000/mymaster/1?sentinel_user=s&sentinel_password=%25");
  EXPECT_EQ(watched.kind, Kind::kSentinel);
  EXPECT_EQ(watched.addresses, (std::vector<Address>{{"a", 26379, ""}, {"b", 5000, ""}}));
  EXPECT_EQ(watched.master, "mymaster");
  EXPECT_EQ(watched.sentinel_credentials.password, "%");
  EXPECT_EQ(watched.database, 1);
  const Place spread = place("rediss+cluster://a:1,[::1]:2");
  EXPECT_EQ(spread.kind, Kind::kCluster);
  EXPECT_EQ(spread.addresses.size(), 2U);
}

TEST(Place, ItsTextIsItsUrlWithoutUserAndPassword) {
  for (const char* const url : {"redis://h:6379", "rediss://[::1]:6379/3", "redis+unix:///run/r.sock?db=2",
                                "redis+sentinel://a:26379,b:5/main/1", "rediss+cluster://a:1,b:2"}) {
    EXPECT_EQ(to_text(place(url)), url);
  }
  EXPECT_EQ(to_text(place("redis://ann:secret@h:1")), "redis://h:1");
}

TEST(Place, SaysWhatIsWrongAndWhatIsExpected) {
  EXPECT_THAT(refusal("http://h"), HasSubstr("must begin with one of redis:// rediss://"));
  EXPECT_THAT(refusal("redis://"), AllOf(HasSubstr("the host is missing"), HasSubstr("its form is redis://user")));
  EXPECT_THAT(refusal("redis://h:0"), HasSubstr("the port of 'h' must be a number from 1 to 65535"));
  EXPECT_THAT(refusal("redis://::1"), HasSubstr("a host is empty"));
  EXPECT_THAT(refusal("redis://[::1"), HasSubstr("no closing bracket"));
  EXPECT_THAT(refusal("redis://a,b"), HasSubstr("only one server"));
  EXPECT_THAT(refusal("redis://h/x"), HasSubstr("the database must be a number such as 0, but is 'x'"));
  EXPECT_THAT(refusal("redis://h?color=red"), HasSubstr("the option 'color' is unknown"));
  EXPECT_THAT(refusal("redis://ann@h"), HasSubstr("a user without a password"));
  EXPECT_THAT(refusal("redis+sentinel://h"), HasSubstr("the name of the master is missing"));
  EXPECT_THAT(refusal("redis+cluster://h/1"), HasSubstr("a Cluster has only the database 0"));
  EXPECT_THAT(refusal("redis+unix://h/x"), HasSubstr("a local socket has no host"));
}

TEST(Place, NoMessageHasAPartOfThePassword) {
  for (const char* const url : {"redis://:sec@ret@h", "redis://:sec/ret@h", "redis://:sec?ret@h", "redis://:sec%ret@h",
                                "redis://:sec:ret@h:x"}) {
    EXPECT_THAT(refusal(url), AllOf(HasSubstr("cannot be read"), Not(HasSubstr("sec")), Not(HasSubstr("ret"))));
  }
}

}  // namespace
}  // namespace sluice::redis
