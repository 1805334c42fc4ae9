#include "stores/redis/bucket_name.h"

#include <gtest/gtest.h>

#include "redis/request.h"
#include "stores/redis/redis_server_testing.h"

namespace sluice::redis_store {
namespace {

using redis::slot_of;

std::string name_of(std::string_view key, uint32_t part) {
  std::string name;
  append_bucket_name(name, "sluice", key, part);
  return name;
}

TEST(BucketName, IsPrefixBracesPartAndKey) {
  EXPECT_EQ(name_of("demo|per-user|42", 0), "sluice{}0:demo|per-user|42");
  EXPECT_EQ(name_of("", UINT32_MAX), "sluice{}4294967295:");
}

TEST(BucketName, IsParsedBackWhateverTheKeyIs) {
  for (const std::string_view key :
       {std::string_view(), std::string_view("a"), std::string_view("7:a"), std::string_view("{}0:x"),
        std::string_view("{a}b"), std::string_view("\0\xff", 2)}) {
    for (const uint32_t part : {0U, 1U, 10U, UINT32_MAX}) {
      const std::string name = name_of(key, part);
      const auto parsed = parse_bucket_name(name, "sluice");
      ASSERT_TRUE(parsed.has_value()) << name;
      EXPECT_EQ(parsed->key, key);
      EXPECT_EQ(parsed->part, part);
    }
  }
}

TEST(BucketName, IsNoneThatWasNotMadeHere) {
  for (const std::string_view name :
       {"", "sluice", "sluice{}", "sluice{}0", "sluice{}:a", "sluice{}-1:a", "sluice{}+1:a", "sluice{}01:a",
        "sluice{}4294967296:a", "sluice{x}0:a", "sluice{0:a", "other{}0:a", "sluice{}1 :a", "sluice{}0x1:a"}) {
    EXPECT_FALSE(parse_bucket_name(name, "sluice").has_value()) << name;
  }
}

TEST(BucketNews, TellRefundsFromResets) {
  for (const std::string prefix : {"sluice", "reset x", "reset "}) {
    const std::string name = prefix + "{}3:reset a{}0:b";
    for (const bool is_reset : {false, true}) {
      const std::string message = (is_reset ? "reset " : "") + name;
      const auto news = parse_bucket_news(message, prefix);
      ASSERT_TRUE(news.has_value()) << name;
      EXPECT_EQ(news->is_reset, is_reset) << name;
      EXPECT_EQ(news->bucket.key, "reset a{}0:b");
      EXPECT_EQ(news->bucket.part, 3U);
    }
  }
  EXPECT_FALSE(parse_bucket_news("reset other{}0:a", "sluice").has_value());
}

TEST(Slot, OfABucketIsThatOfItsWholeName) {
  EXPECT_NE(slot_of(name_of("{tenant}a", 0)), slot_of("tenant"));
  EXPECT_NE(slot_of(name_of("{tenant}a", 0)), slot_of(name_of("{tenant}b", 0)));
  EXPECT_NE(slot_of(name_of("a", 0)), slot_of(name_of("a", 1)));
}

TEST(Slot, IsWhatRedisSays) {
  RedisServer cluster({"--cluster-enabled", "yes"});
  for (const std::string& name : {name_of("demo|per-user|42", 0), name_of("{a}", 3), std::string("{a}b"),
                                  std::string("a{}b"), std::string("\xff\x80{"), std::string("x{y")}) {
    EXPECT_EQ(slot_of(name), cluster.command({"CLUSTER", "KEYSLOT", name}).integer) << name;
  }
}

}  // namespace
}  // namespace sluice::redis_store
