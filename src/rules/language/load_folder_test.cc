// Several files as one set of rules: what is joined, what is said once, and faults that name both places.
#include <gmock/gmock.h>

#include "rules/language/folder_testing.h"
#include "rules/language/load.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string rule(const std::string& name, const std::string& key, const std::string& more = "") {
  return "{name: " + name + ", limit_keys: [" + key + "], algorithm_config: {rps: 1, burst: 1}" + more + "}";
}
std::string rules(const std::string& list) { return "rules: [" + list + "]\n"; }
std::string policy(const std::string& id) { return "policies: [{id: " + id + ", rules: [" + rule("all", "") + "]}]\n"; }

class LoadFolder : public InAFolder {
 protected:
  RuleSet loaded() const {
    const Loaded result = load_file(folder_.string());
    for (const Fault& fault : result.faults) ADD_FAILURE() << describe(fault);
    return result.rules == nullptr ? RuleSet() : *result.rules;
  }

  // With `DIR` for the folder.
  std::vector<std::string> faults() const {
    const Loaded result = load_file(folder_.string());
    EXPECT_EQ(result.rules == nullptr, !result.faults.empty());
    std::vector<std::string> lines;
    for (const Fault& fault : result.faults) {
      std::string line = describe(fault);
      for (size_t at; (at = line.find(folder_.string())) != line.npos;)
        line.replace(at, folder_.string().size(), "DIR");
      lines.push_back(line);
    }
    return lines;
  }

  static std::vector<std::string> ids(const RuleSet& set) {
    std::vector<std::string> ids;
    for (const Policy& one : set.policies) ids.push_back(one.id);
    return ids;
  }
};

TEST_F(LoadFolder, PoliciesAreJoinedInTheOrderOfTheFilesAndDefaultGoesFirst) {
  write("30.yaml", policy("c"));
  write("20.yml", rules(rule("mine", "path")));
  write("10.json", R"({"policies": [{"id": "z", "rules": [
      {"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})");
  EXPECT_THAT(ids(loaded()), ElementsAre("default", "z", "c"));
}

TEST_F(LoadFolder, RulesOfAllFilesMakeUpOnePolicy) {
  write("b.yaml", rules(rule("second", "path")));
  write("a.yaml", rules(rule("first", "host")));
  write("c.json", R"({"rules": [{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1}]})");
  const RuleSet set = loaded();
  ASSERT_THAT(ids(set), ElementsAre("default"));
  std::vector<std::string> names;
  for (const Rule& one : set.policies[0].rules) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("first", "second", "user:{user_id}"));
}

TEST_F(LoadFolder, ListsOfTheTopLevelAreJoinedAndAllElseMayStandInAFileOfItsOwn) {
  write("a.yaml",
        "description: for all\n"
        "trusted_proxies: [10.0.0.0/8]\n"
        "kill_switches: [{key: path, value: /a}]\n"
        "forwarded_header: forwarded\n"
        "headers: [x]\n"
        "trust_upstream_jwt: true\n");
  write("b.yaml",
        "description: mine\n"
        "$schema: rules.schema.json\n"
        "trusted_proxies: [192.168.0.0/16]\n"
        "kill_switches: [{key: path, value: /b}]\n"
        "jwt: {issuer: me, keys: [{algorithm: HS256, secret_file: key}]}\n" +
            policy("p"));
  write("key", "at least 32 bytes that nobody can guess\n");
  const RuleSet set = loaded();
  EXPECT_EQ(set.trusted_proxies.size(), 2u);
  ASSERT_EQ(set.kill_switches.size(), 2u);
  EXPECT_THAT(set.kill_switches[1].condition.values, ElementsAre("/b"));
  EXPECT_EQ(set.forwarded_header, ForwardedHeader::kForwarded);
  EXPECT_TRUE(set.headers.x && !set.headers.ietf);
  // In the file before that of `jwt`, and not lost for it.
  EXPECT_TRUE(set.jwt.trust_upstream);
  EXPECT_EQ(set.jwt.issuer, "me");
  ASSERT_EQ(set.jwt.keys.size(), 1u);
  EXPECT_EQ(set.jwt.keys[0].secret, "at least 32 bytes that nobody can guess");
}

TEST_F(LoadFolder, WhatHoldsOnceIsRefusedInASecondFileWithBothPlaces) {
  write("a.yaml", "headers: [x]\nforwarded_header: forwarded\njwt: {issuer: a}\ntrust_upstream_jwt: true\n");
  write("b.yaml",
        policy("p") + "headers: [x]\nforwarded_header: forwarded\njwt: {issuer: a}\ntrust_upstream_jwt: true\n");
  const std::string hint = "\n  hint: of the files of a folder, one may give it";
  EXPECT_THAT(
      faults(),
      ElementsAre("DIR/b.yaml:2:1: headers: 'headers' is given twice, the first time in line 1 of DIR/a.yaml" + hint,
                  "DIR/b.yaml:3:1: forwarded_header: 'forwarded_header' is given twice, the first time in line 2 "
                  "of DIR/a.yaml" +
                      hint,
                  "DIR/b.yaml:4:1: jwt: 'jwt' is given twice, the first time in line 3 of DIR/a.yaml" + hint,
                  "DIR/b.yaml:5:1: trust_upstream_jwt: 'trust_upstream_jwt' is given twice, the first time in "
                  "line 4 of DIR/a.yaml" +
                      hint));
}

TEST_F(LoadFolder, TrustIsGivenInOneOfItsTwoPlacesAlsoWhereTheyAreInTwoFiles) {
  write("a.yaml", policy("p") + "jwt:\n  trust_upstream_jwt: true\n");
  write("b.yaml", "trust_upstream_jwt: false\n");
  EXPECT_THAT(faults(),
              ElementsAre(HasSubstr("DIR/b.yaml:1:1: trust_upstream_jwt: trust_upstream_jwt is given here and "
                                    "in jwt, in line 3 of DIR/a.yaml")));
}

TEST_F(LoadFolder, TheSameProxyInTwoFilesIsToldWithBothPlaces) {
  write("a.yaml", policy("p") + "trusted_proxies: [10.0.0.0/8]\n");
  write("b.yaml", "trusted_proxies: [192.168.0.0/16, 10.0.0.0/8]\n");
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("DIR/b.yaml:1:35: trusted_proxies[1]: '10.0.0.0/8' is in trusted_proxies "
                                              "twice, the first time in line 2 of DIR/a.yaml")));
}

TEST_F(LoadFolder, UnixIsAProxyThatStandsInOneFileToo) {
  write("a.yaml", policy("p") + "trusted_proxies: [unix]\n");
  write("b.yaml", "trusted_proxies: [10.0.0.0/8, unix, 'unix:/run/s']\n");
  EXPECT_THAT(faults(),
              ElementsAre(HasSubstr("DIR/b.yaml:1:31: trusted_proxies[1]: 'unix' is in trusted_proxies twice, "
                                    "the first time in line 2 of DIR/a.yaml"),
                          HasSubstr("expected an address or a network, but found 'unix:/run/s'")));
}

TEST_F(LoadFolder, IdsAndNamesAreUniqueAcrossFiles) {
  write("a.yaml", "\n" + policy("p"));
  write("b.yaml", policy("p"));
  write("c.yaml", rules(rule("r", "path")));
  write("d.yaml", rules(rule("r", "host")));
  write("e.json", R"({"rules": [{"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1}]})");
  write("f.json",
        R"({"rules": [{"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1, "is_active": false}]})");
  EXPECT_THAT(
      faults(),
      ElementsAre(
          HasSubstr("DIR/b.yaml:1:12: policies[0]: the policy 'p' is there twice, the first time in line 2 of "
                    "DIR/a.yaml"),
          HasSubstr("DIR/d.yaml:1:9: rules[0]: the rule 'r' is there twice, the first time in line 1 of DIR/c.yaml"),
          HasSubstr("DIR/f.json:1:12: rules[0]: the rule 'global' is there twice, the first time in line 1 of "
                    "DIR/e.json")));
}

TEST_F(LoadFolder, ThePolicyDefaultIsNotMadeUpAndGivenToo) {
  write("a.yaml", policy("default"));
  EXPECT_THAT(faults(), IsEmpty());
  write("b.yaml", rules(rule("r", "path")));
  EXPECT_THAT(faults(),
              ElementsAre(HasSubstr("DIR/a.yaml:1:12: policies[0]: the policy 'default' is made up of the rules "
                                    "that stand in no policy, such as the one in line 1 of DIR/b.yaml, but is "
                                    "also given here")));
}

TEST_F(LoadFolder, TiersOfTwoFilesAreAskedInTheirOrderAndOneThatCanNeverApplyIsRefused) {
  const std::string narrow = rules(rule("narrow", "path", ", match: {\"attr:plan\": pro}"));
  write("a.yaml", narrow);
  write("b.yaml", rules(rule("wide", "path")));
  EXPECT_THAT(faults(), IsEmpty());
  write("c.yaml", rules(rule("late", "path", ", match: {\"attr:plan\": team}")));
  EXPECT_THAT(faults(),
              ElementsAre("DIR/c.yaml:1:9: rules[0]: the rule 'late' can never apply: the rule 'wide' in line 1 of "
                          "DIR/b.yaml has the same limit_keys, is asked first, and holds whenever it does\n"
                          "  hint: files go in the order of their names: put the rule without match last"));
}

TEST_F(LoadFolder, AllFaultsOfAllFilesAreToldInTheirOrder) {
  write("c.yaml", "rules: [{\n");
  write("b.yaml", policy("p") + "heders: [x]\n");
  write("d.json", "");
  write("e.yaml", "");
  write("a.yaml", "# one\n" + rules("{name: 7}"));
  std::filesystem::create_symlink("gone", path("f.yaml"));
  const auto told = faults();
  std::vector<std::string> places;
  for (const std::string& line : told) places.push_back(line.substr(0, line.find(": ")));
  EXPECT_THAT(places, ElementsAre("DIR/a.yaml:2:9", "DIR/a.yaml:2:9", "DIR/a.yaml:2:16", "DIR/b.yaml:2:1",
                                  "DIR/c.yaml:1:9", "DIR/d.json:1:1", "DIR/e.yaml:1:1", "DIR/f.yaml"));
  EXPECT_THAT(told.back(), HasSubstr("DIR/f.yaml: the file cannot be read: No such file or directory"));
}

TEST_F(LoadFolder, SomeFileHasRulesUnlessOneCouldNotBeRead) {
  write("a.yaml", "headers: [x]\n");
  write("b.yaml", "{}\n");
  EXPECT_THAT(faults(),
              ElementsAre("DIR/a.yaml:1:1: policies is missing\n  hint: some file of the folder has policies, "
                          "or just rules"));
  write("c.yaml", "policies: [\n");
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("DIR/c.yaml:2:1: ")));
}

TEST_F(LoadFolder, OneFileStillHasPoliciesOrRulesButNotBoth) {
  write("a.yaml", policy("p") + rules(rule("r", "path")));
  write("b.yaml", policy("q"));
  EXPECT_THAT(faults(),
              ElementsAre(HasSubstr("DIR/a.yaml:2:1: rules: a file has policies or rules, but this has both")));
}

TEST_F(LoadFolder, AnEmptyFolderIsAFaultThatSaysWhatWasLookedFor) {
  EXPECT_THAT(faults(),
              ElementsAre("DIR: the folder has no rules: no file in it ends in .json, .yaml or .yml, and hidden "
                          "files and folders in it do not count"));
}

TEST_F(LoadFolder, AThousandFaultsOfAllFilesAreKeptAndTheOthersCounted) {
  for (const char* name : {"a.yaml", "b.yaml"}) {
    std::string text = "rules:\n";
    for (int i = 0; i < 600; ++i) text += "  - 1\n";
    write(name, text);
  }
  const auto told = faults();
  ASSERT_EQ(told.size(), 1'001u);
  EXPECT_THAT(told.front(), HasSubstr("DIR/a.yaml:2:5"));
  EXPECT_EQ(told.back(), "DIR: and 200 more faults, which are not listed");
}

}  // namespace
}  // namespace sluice::rules
