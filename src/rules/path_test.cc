#include "rules/path.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace sluice::rules {
namespace {

std::string normal(std::string_view path) {
  std::string memory = "left over";
  return std::string(normalize_path(path, memory));
}

TEST(Path, ThatIsNormalStaysWhereItIs) {
  for (const std::string_view path : {"/", "/v1", "/v1/users/42", "/a.b/..c/d..", "/.well-known/x", "/a%2Fb", "/%C3%A9",
                                      "/a;b=c,d@e:f!$&'()*+", "/~u/x_y-z", "/...", "/%25", "/a\\b", "/{id}|\"<>^`"}) {
    std::string memory = "untouched";
    const std::string_view result = normalize_path(path, memory);
    EXPECT_EQ(result.data(), path.data()) << path;
    EXPECT_EQ(result, path);
    EXPECT_EQ(memory, "untouched");
  }
}

TEST(Path, HasOneSpelling) {
  for (const std::string_view path : {"/v1/users",
                                      "/v1/users/",
                                      "/v1//users",
                                      "//v1/users//",
                                      "/v1/./users",
                                      "/v1/users/.",
                                      "/v1/x/../users",
                                      "/../v1/users",
                                      "/v1/users?x=1",
                                      "/v1/users/?",
                                      "/v1/users#top",
                                      "/v1/users?#",
                                      "/%76%31/users",
                                      "/v1/%75sers",
                                      "/v1/%2e/users",
                                      "/v1/x/%2E%2e/users",
                                      "/v1/x/.%2E/users",
                                      "v1/users",
                                      "/a/b/../../v1/users",
                                      "/v1/users?a=/../../x",
                                      "http://api.example.com/v1/users",
                                      "HTTPS://h:80//v1/users?q"}) {
    EXPECT_EQ(normal(path), "/v1/users") << path;
  }
}

TEST(Path, OfTheRootIsASlash) {
  for (const std::string_view path : {"", "/", "//", "/.", "/..", "/../..", ".", "..", "?", "?x=/v1", "#", "/a/..",
                                      "/%2e%2E/", "http://h", "http://h?x"}) {
    EXPECT_EQ(normal(path), "/") << path;
  }
}

TEST(Path, KeepsReservedCharactersAsTheyCame) {
  EXPECT_EQ(normal("/a%2fb"), "/a%2Fb");
  EXPECT_EQ(normal("/a%3fb%23"), "/a%3Fb%23");
  EXPECT_EQ(normal("/a%40b@"), "/a%40b@");
  EXPECT_NE(normal("/a%2Fb"), normal("/a/b"));
}

TEST(Path, EncodesWhatNoUriMayHold) {
  EXPECT_EQ(normal("/caf\xc3\xa9"), "/caf%C3%A9");
  EXPECT_EQ(normal("/caf%c3%a9"), "/caf%C3%A9");
  EXPECT_EQ(normal("/a b"), "/a%20b");
  EXPECT_EQ(normal("/\xff\xfe"), "/%FF%FE");
  EXPECT_EQ(normal(std::string_view("/a\0b", 4)), "/a%00b");
  EXPECT_EQ(normal("/a\x7f\n"), "/a%7F%0A");
}

TEST(Path, EncodesAPercentSignThatEncodesNothing) {
  EXPECT_EQ(normal("/a%"), "/a%25");
  EXPECT_EQ(normal("/a%4"), "/a%254");
  EXPECT_EQ(normal("/a%zz"), "/a%25zz");
  EXPECT_EQ(normal("/%%34%31"), "/%2541");
  EXPECT_EQ(normal("/%2541"), "/%2541");
}

TEST(Path, DoesNotTakeAColonForAnOrigin) {
  EXPECT_EQ(normal("a:b/c"), "/a:b/c");
  EXPECT_EQ(normal("/http://h/x"), "/http:/h/x");
  EXPECT_EQ(normal("*"), "/*");
}

TEST(Path, OfManyBytesIsNormalizedInTimeThatGrowsWithItsLength) {
  std::string ups;
  for (int i = 0; i < 500'000; ++i) ups += "a/../";
  EXPECT_EQ(normal(ups), "/");
  EXPECT_EQ(normal(std::string(1 << 20, '/')), "/");
  EXPECT_EQ(normal("/" + std::string(1 << 20, '\xff')).size(), 1u + 3 * (1 << 20));
  EXPECT_EQ(normal(std::string(1 << 20, '.')).size(), 1u + (1 << 20));
}

TEST(Path, IsCoveredByWholeSegments) {
  EXPECT_TRUE(covers_path("/v1", "/v1"));
  EXPECT_TRUE(covers_path("/v1", "/v1/x"));
  EXPECT_FALSE(covers_path("/v1", "/v1x"));
  EXPECT_FALSE(covers_path("/v1", "/v"));
  EXPECT_FALSE(covers_path("/v1", "/"));
  EXPECT_TRUE(covers_path("/", "/"));
  EXPECT_TRUE(covers_path("/", "/v1"));
  EXPECT_FALSE(covers_path("/v1/users", "/v1"));
}

rc::Gen<std::string> any_path() {
  const auto piece = rc::gen::element<std::string>("/", "//", ".", "..", "a", "B", "%", "%2", "%2e", "%2F", "%41",
                                                   "%c3", "?", "#", "\xc3", " ", ":", "~", "%25", "34", "http://");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string path;
    for (const auto& p : pieces) path += p;
    return path;
  });
}

RC_GTEST_PROP(Path, NormalizedTwiceIsAsNormalizedOnce, ()) {
  const std::string once = normal(*any_path());
  RC_ASSERT(is_normal_path(once));
  RC_ASSERT(normal(once) == once);
}

RC_GTEST_PROP(Path, ThatIsNormalHasNoWayOut, ()) {
  const std::string path = normal(*any_path()) + "/";
  RC_ASSERT(path.find("/./") == std::string::npos);
  RC_ASSERT(path.find("/../") == std::string::npos);
  RC_ASSERT(path.find_first_of("?# \xc3") == std::string::npos);
  RC_ASSERT(path == "//" || path.find("//") == std::string::npos);
}

}  // namespace
}  // namespace sluice::rules
