#include "config/source.h"

#include <gtest/gtest.h>

namespace sluice::config {
namespace {

Source parsed(std::string_view text) {
  const auto source = parse_source(text);
  if (const auto* problem = std::get_if<Problem>(&source)) ADD_FAILURE() << problem->message;
  return std::get<Source>(source);
}

std::string refused(std::string_view text) {
  const auto source = parse_source(text);
  const auto* problem = std::get_if<Problem>(&source);
  return problem == nullptr ? "accepted" : problem->message;
}

TEST(Source, IsAFileOrADatabase) {
  EXPECT_EQ(parsed("rules.yaml").kind, Source::Kind::kFile);
  EXPECT_EQ(parsed("/etc/sluice/rules.yaml").path, "/etc/sluice/rules.yaml");
  EXPECT_EQ(parsed("sqlite:sluice.db").kind, Source::Kind::kSqlite);
  EXPECT_EQ(parsed("sqlite:sluice.db").path, "sluice.db");
  EXPECT_EQ(parsed("postgres://db.internal/sluice").kind, Source::Kind::kPostgres);
  EXPECT_EQ(parsed("postgresql:///sluice").url.reveal(), "postgresql:///sluice");
}

TEST(Source, ThatIsNamedHasAName) { EXPECT_EQ(refused(""), "must not be empty"); }

TEST(Source, OfAnUnknownKindIsRefused) {
  EXPECT_EQ(refused("mysql://x/y"), "must be a file, sqlite: or postgres://, but is 'mysql://x/y'");
  EXPECT_EQ(refused("mysql://u:geheim@x/y"), "must be a file, sqlite: or postgres://, but is 'mysql://u:...@x/y'");
  EXPECT_EQ(refused("sqlite:"), "must name the file of the database, but is 'sqlite:'");
  EXPECT_EQ(refused("sqlite:///x.db"), "must be sqlite: and a path, but is 'sqlite:///x.db'");
  EXPECT_EQ(refused(std::string_view("a\0b", 3)), "must be a path or a database, but has a zero byte");
}

TEST(Source, IsShownWithoutItsPassword) {
  EXPECT_EQ(parsed("postgres://ann:geheim@h:5432/d?sslmode=require").text(),
            "postgres://ann:...@h:5432/d?sslmode=require");
  EXPECT_EQ(parsed("postgres://ann@h/d").text(), "postgres://ann@h/d");
  EXPECT_EQ(parsed("postgres://h:5432/d").text(), "postgres://h:5432/d");
  EXPECT_EQ(parsed("postgres://h/d?user=a&password=geheim").text(), "postgres://h/d?user=a&password=...");
  EXPECT_EQ(parsed("postgres://h/d?password=geheim&user=a").text(), "postgres://h/d?password=...&user=a");
  // An @ in the password, which is not written as it should be: still nothing of it shows.
  EXPECT_EQ(parsed("postgres://ann:ge@heim@h/d").text(), "postgres://ann:...@h/d");
}

TEST(Source, RelativePathsStartFromAFolder) {
  EXPECT_EQ(parsed("sqlite:a.db").from("/etc").text(), "sqlite:/etc/a.db");
  EXPECT_EQ(parsed("sqlite:/a.db").from("/etc").text(), "sqlite:/a.db");
  EXPECT_EQ(parsed("a.yaml").from("/etc").text(), "/etc/a.yaml");
  EXPECT_EQ(parsed("postgres:///d").from("/etc").text(), "postgres:///d");
}

}  // namespace
}  // namespace sluice::config
