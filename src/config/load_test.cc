#include "config/load.h"

#include "config/config_testing.h"

namespace sluice::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Load, GivesTheDefaultsWhenNothingIsSet) {
  const Loaded loaded = load_defaults();
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  const Settings& settings = *loaded.settings;
  EXPECT_EQ(settings.http.listen.at(0).text(), "127.0.0.1:8080");
  EXPECT_EQ(settings.resp.listen.at(0).text(), "127.0.0.1:6380");
  EXPECT_EQ(settings.admin.listen.at(0).text(), "127.0.0.1:8090");
  EXPECT_EQ(settings.memory.max_bytes.count, 256U << 20);
  EXPECT_EQ(settings.connections.max, 10'000);
  EXPECT_EQ(settings.data_dir, "./sluice-data");
  EXPECT_TRUE(settings.admin.token.empty());
  EXPECT_THAT(told(loaded.warnings), IsEmpty());
}

TEST(Load, LetsFlagsWinOverVariablesOverTheFileOverDefaults) {
  const Folder folder;
  const std::string file = folder.write("s.yaml", "loops: 1\nlog: {level: warn, format: json}\nstore: memory\n");
  const Loaded loaded = load_with({"--config", file, "--loops", "3"}, {"SLUICE_LOOPS=2", "SLUICE_LOG_LEVEL=error"});
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(loaded.settings->loops, 3);
  EXPECT_EQ(loaded.settings->log.level, LogLevel::kError);
  EXPECT_EQ(loaded.settings->log.format, LogFormat::kJson);
  EXPECT_EQ(origin_of(loaded, "loops").where, "--loops");
  EXPECT_EQ(origin_of(loaded, "log.level").where, "SLUICE_LOG_LEVEL");
  EXPECT_EQ(origin_of(loaded, "log.format").where, file + ":2:28");
  EXPECT_EQ(origin_of(loaded, "log.format").layer, Layer::kFile);
  EXPECT_EQ(origin_of(loaded, "drain_timeout").layer, Layer::kDefault);
}

TEST(Load, TellsFaultsOfAllLayersInOneRun) {
  const Folder folder;
  const std::string file = folder.write("s.yaml", "loops: -1\n");
  EXPECT_THAT(told(load_with({"--loops", "x", "--bad"}, {"SLUICE_CONFIG=" + file, "SLUICE_LOOPS=y"}).faults),
              ElementsAre(file + ":1:8: loops must be from 0 to 1024, but is -1",
                          "SLUICE_LOOPS: loops must be a whole number from 0 to 1024, but is 'y'",
                          "--loops: loops must be a whole number from 0 to 1024, but is 'x'",
                          "sluice serve: there is no flag '--bad'\n  hint: 'sluice serve --help' lists them"));
}

TEST(Load, TakesPathsOfTheFileRelativeToItsFolder) {
  const Folder folder;
  const std::string file = folder.write("s.yaml", "rules: rules.yaml\ndata_dir: /var/lib/x\n");
  const Loaded loaded = load_with({"--config", file});
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(loaded.settings->rules.path, folder.path() / "rules.yaml");
  EXPECT_EQ(loaded.settings->data_dir, "/var/lib/x");
  EXPECT_EQ(load_with({"--rules", "rules.yaml"}).settings->rules.text(), "rules.yaml");
}

TEST(Load, TellsThatTheFileCannotBeRead) {
  EXPECT_THAT(told(load_with({"--config", "/nonexistent/s.yaml"}).faults),
              ElementsAre("/nonexistent/s.yaml: the file cannot be read: No such file or directory"));
}

TEST(Load, ReadsSecretsFromFilesOfTheirOwn) {
  const Folder folder;
  folder.write("token", "s3cret\n");
  const std::string file = folder.write("s.yaml", "admin: {token_file: token}\n");
  const Loaded loaded = load_with({"--config", file}, {"SLUICE_HTTP_TOKEN=abc"});
  ASSERT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_EQ(loaded.settings->admin.token.reveal(), "s3cret");
  EXPECT_EQ(loaded.settings->http.token.reveal(), "abc");
  EXPECT_EQ(origin_of(loaded, "http.token").text, "");
  EXPECT_EQ(load_with({"--admin-token-file", (folder.path() / "token").string()}, {"SLUICE_ADMIN_TOKEN=lower"})
                .settings->admin.token.reveal(),
            "s3cret");
}

TEST(Load, RefusesASecretThatIsGivenBothWaysOrCannotBeUsed) {
  const Folder folder;
  const std::string empty = folder.write("empty", "\n");
  EXPECT_THAT(told(load_with({}, {"SLUICE_ADMIN_TOKEN=a", "SLUICE_ADMIN_TOKEN_FILE=/b"}).faults),
              ElementsAre("SLUICE_ADMIN_TOKEN_FILE: admin.token is given twice, the first time at SLUICE_ADMIN_TOKEN"));
  EXPECT_THAT(told(load_with({"--http-token-file", "/nonexistent"}).faults),
              ElementsAre("--http-token-file: http.token must stand in the file '/nonexistent', but that cannot be "
                          "read: No such file or directory"));
  EXPECT_THAT(told(load_with({"--http-token-file", empty}).faults),
              ElementsAre(HasSubstr("http.token must not be empty (it stands in '")));
}

TEST(Load, TakesTokensWithTheirNames) {
  const Folder folder;
  folder.write("tokens", "ann:t0ken\r\n\nci:x:y \n");
  const std::string file = folder.write("s.yaml", "admin: {tokens_file: tokens}\n");
  const std::string list = folder.write("list.yaml", "admin: {tokens: ['ann:t0ken', 'ci:x:y']}\n");
  for (const Loaded& loaded : {load_with({"--config", file}), load_with({"--config", list}),
                               load_with({}, {"SLUICE_ADMIN_TOKENS=ann:t0ken, ci:x:y"})}) {
    ASSERT_THAT(told(loaded.faults), IsEmpty());
    const NamedSecrets& tokens = loaded.settings->admin.tokens;
    ASSERT_EQ(tokens.size(), 2U);
    EXPECT_EQ(tokens[0].name, "ann");
    EXPECT_EQ(tokens[0].secret.reveal(), "t0ken");
    EXPECT_EQ(tokens[1].name, "ci");
    EXPECT_EQ(tokens[1].secret.reveal(), "x:y");
    EXPECT_EQ(origin_of(loaded, "admin.tokens").text, "");
  }
  EXPECT_THAT(told(load_with({"--admin-tokens", "ann:t0ken"}).faults),
              ElementsAre(HasSubstr("a secret must not stand on the command line")));
}

TEST(Load, RefusesTokensWithoutTheirNamesAndShowsNone) {
  for (const char* bad : {"s3cret", "ann:ok,s3cret", ":s3cret", "a b:s3cret", "admin:s3cret", "ann:s3 cret",
                          "ann:", "ann:s3cret,ann:other", "ann:s3cret,bob:s3cret", ","}) {
    const auto faults = told(load_with({}, {std::string("SLUICE_ADMIN_TOKENS=") + bad}).faults);
    EXPECT_THAT(faults, ElementsAre(HasSubstr("SLUICE_ADMIN_TOKENS: admin.tokens "))) << bad;
    EXPECT_THAT(faults, testing::Each(testing::Not(HasSubstr("s3")))) << bad;
  }
}

TEST(Load, TakesTheFolderThatSystemdMade) {
  EXPECT_EQ(load_with({}, {"STATE_DIRECTORY=/var/lib/sluice:/var/lib/other"}).settings->data_dir, "/var/lib/sluice");
  EXPECT_EQ(load_with({"--data-dir", "here"}, {"STATE_DIRECTORY=/var/lib/sluice"}).settings->data_dir, "here");
}

TEST(Load, CopiesTheEnvironment) {
  const char* const environment[] = {"A=1", "B=2", nullptr};
  EXPECT_THAT(copy_environment(environment), ElementsAre("A=1", "B=2"));
  EXPECT_THAT(copy_environment(nullptr), IsEmpty());
}

}  // namespace
}  // namespace sluice::config
