#include "rules/language/build_jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "rules/language/load_testing.h"

namespace sluice::rules {
namespace {

using ::testing::HasSubstr;

// As JSON writes them.
constexpr const char* kRsaKey =
    "-----BEGIN PUBLIC KEY-----\\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA3fsVEAk3TZmOA6PoQs+Q\\n"
    "clk8FSH37WlEAXcA9l18fRFOhRWGfaJJb5L1oSv76cf2QzRPP9FslzfHeSPpjYYV\\n"
    "J/QGescs6OMZJMOx7vHv/1QRWjXc1NLRC3OCnZKPCgx00G38KcUHfa8LFXNvaIm8\\n"
    "tdSsmvo9ZkpW/LcH1ZwsUH9jCfKxoqFR8l+/dT9qXjmOWwuIiY5bQTV21AfGJjNJ\\n"
    "wKs/IvWeyjVL45rTtJCe5dUFtpQuPO1/f+IOYNMcnFO0rr0c++cm2vNzEdnPOWIh\\n"
    "hud2hSMSfoszyEhf/XVAEZvzCCRMDUmreop513EiOL/a7GoJ2C5MJ9nOZmYmXtYU\\n"
    "zwIDAQAB\\n"
    "-----END PUBLIC KEY-----\\n";
constexpr const char* kEcKey =
    "-----BEGIN PUBLIC KEY-----\\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3f1aXnqRmj6vmvmwgfX3wCnK0oBI\\n"
    "kLMtbUt2uyEabNIslrYzvtTiJgFQlxWAGZmlSAV7GWyZ7wdLXbhtwgEhqA==\\n"
    "-----END PUBLIC KEY-----\\n";

std::string file_with(const std::string& fields) {
  return "{" + fields + R"(, "rules": [{"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})";
}
std::string jwt(const std::string& fields) { return file_with("\"jwt\": {" + fields + "}"); }
std::string key(const std::string& fields) { return jwt("\"keys\": [{" + fields + "}]"); }

TEST(BuildJwt, TakesKeysAndSettings) {
  const JwtSettings settings =
      loaded(jwt(R"("keys": [{"algorithm": "HS256", "id": "k1", "secret": "0123456789abcdef0123456789abcdef"},
      {"algorithm": "RS256", "public_key": ")" +
                 std::string(kRsaKey) + R"("}, {"algorithm": "ES256", "public_key": ")" + kEcKey +
                 R"("}], "trust_upstream_jwt": true, "leeway_seconds": 30, "issuer": "i", "audience": "a")"))
          .jwt;
  ASSERT_EQ(settings.keys.size(), 3u);
  EXPECT_EQ(settings.keys[0].algorithm, JwtAlgorithm::kHs256);
  EXPECT_EQ(settings.keys[0].id, "k1");
  EXPECT_EQ(settings.keys[0].secret, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(settings.keys[1].algorithm, JwtAlgorithm::kRs256);
  EXPECT_EQ(settings.keys[2].algorithm, JwtAlgorithm::kEs256);
  EXPECT_THAT(settings.keys[2].secret, HasSubstr("BEGIN PUBLIC KEY"));
  EXPECT_TRUE(settings.trust_upstream);
  EXPECT_EQ(settings.leeway_seconds, 30);
  EXPECT_EQ(settings.issuer, "i");
  EXPECT_EQ(settings.audience, "a");
}

TEST(BuildJwt, EachAlgorithmTakesItsOwnKindOfKey) {
  EXPECT_THAT(fault_of(key(R"("algorithm": "HS256", "public_key": "x")")),
              HasSubstr("public_key does not go with HS256 (HS256 takes"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "RS256", "secret": "x")")), HasSubstr("secret does not go with RS256"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "HS256")")), HasSubstr("a key needs one of secret"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "HS256", "secret": "x", "secret_file": "y")")),
              HasSubstr("a key is given by one field, but has secret too"));
  EXPECT_THAT(fault_of(key(R"("secret": "x")")), HasSubstr("algorithm is missing"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "none", "secret": "x")")),
              HasSubstr("algorithm must be HS256, RS256 or ES256"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "HS256", "secret": "")")), HasSubstr("secret must not be empty"));
}

TEST(BuildJwt, RefusesWhatIsNoPublicKey) {
  EXPECT_THAT(fault_of(key(R"("algorithm": "RS256", "public_key": "x")")), HasSubstr("it is not a public key in PEM"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "RS256", "public_key": "-----BEGIN PRIVATE KEY-----")")),
              HasSubstr("it is a private key; give the public one"));
  EXPECT_THAT(fault_of(key(R"("algorithm": "ES256", "public_key": ")" + std::string(kRsaKey) + "\"")),
              HasSubstr("jwt.keys[0].public_key: ES256 needs an elliptic curve key"));
}

TEST(BuildJwt, IdsAreUniqueAndTrustIsSaidOnce) {
  EXPECT_THAT(fault_of(jwt(R"("keys": [{"algorithm": "HS256", "id": "k", "secret": "0123456789abcdef0123456789abcdef"},
      {"algorithm": "HS256", "id": "k", "secret": "fedcba9876543210fedcba9876543210"}])")),
              HasSubstr("the key 'k' is there twice"));
  EXPECT_THAT(fault_of(file_with(R"("jwt": {"trust_upstream_jwt": false}, "trust_upstream_jwt": true)")),
              HasSubstr("trust_upstream_jwt is given here and in jwt"));
  EXPECT_TRUE(loaded(file_with(R"("trust_upstream_jwt": true, "jwt": {})")).jwt.trust_upstream);
}

TEST(BuildJwt, ASecretIsNeverToldInAFault) {
  EXPECT_EQ(fault_of(key(R"("algorithm": "RS256", "secret": "hunter2")")).find("hunter2"), std::string::npos);
  EXPECT_EQ(fault_of(key(R"("algorithm": "RS256", "public_key": "hunter2")")).find("hunter2"), std::string::npos);
}

class KeyFiles : public ::testing::Test {
 protected:
  KeyFiles() {
    char name[] = "/tmp/sluice_keys_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~KeyFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) { std::ofstream(folder_ / name) << bytes; }
  Loaded load(const std::string& fields) {
    return load_text(key("\"algorithm\": \"HS256\", " + fields), (folder_ / "rules.json").string(), Format::kJson);
  }
  std::string refusal(const std::string& fields) {
    const auto faults = load(fields).faults;
    return faults.empty() ? "none" : faults[0].message;
  }

  std::filesystem::path folder_;
};

TEST_F(KeyFiles, AreReadBesideTheRulesWithoutTheirLineEnd) {
  const std::string secret = "0123456789abcdef0123456789abcdef";
  write("secret", secret + "\n");
  write("windows", secret + "\r\n");
  write("bare", secret);
  for (const char* name : {"secret", "windows", "bare"}) {
    const Loaded result = load("\"secret_file\": \"" + std::string(name) + "\"");
    ASSERT_TRUE(result.rules) << name;
    EXPECT_EQ(result.rules->jwt.keys[0].secret, secret);
  }
  EXPECT_TRUE(load("\"secret_file\": \"" + (folder_ / "bare").string() + "\"").rules);
}

TEST_F(KeyFiles, ThatCannotBeReadAreRefused) {
  write("empty", "\n");
  write("large", std::string(100'000, 'x'));
  EXPECT_EQ(refusal(R"("secret_file": "none")"), "secret_file 'none' cannot be read: No such file or directory");
  EXPECT_EQ(refusal(R"("secret_file": ".")"), "secret_file '.' cannot be read: it is a folder");
  EXPECT_EQ(refusal(R"("secret_file": "empty")"), "secret_file 'empty' is empty");
  EXPECT_EQ(refusal(R"("secret_file": "large")"), "secret_file 'large' cannot be read: it has more than 65536 bytes");
  EXPECT_EQ(refusal(R"("secret_file": "/dev/zero")"), "secret_file '/dev/zero' cannot be read: it is no regular file");
  EXPECT_EQ(refusal(R"("secret_file": "a\u0000b")"), "secret_file 'a?b' cannot be read: its name has a zero byte");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(R"("secret_file": "pipe")"), "secret_file 'pipe' cannot be read: it is no regular file");
}

}  // namespace
}  // namespace sluice::rules
