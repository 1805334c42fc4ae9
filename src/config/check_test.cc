#include "config/check.h"

#include "config/config_testing.h"

namespace sluice::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(Check, AdminBeyondLoopbackNeedsAToken) {
  EXPECT_THAT(told(load_with({"--admin", "127.0.0.1:1,:8090"}).faults),
              ElementsAre("--admin: admin.listen reaches beyond this machine with ':8090', and needs a token\n"
                          "  hint: set SLUICE_ADMIN_TOKEN or --admin-token-file, or listen on 127.0.0.1"));
  EXPECT_THAT(told(load_with({"--admin", ":8090"}, {"SLUICE_ADMIN_TOKEN=abc"}).faults), IsEmpty());
  EXPECT_THAT(told(load_with({"--admin", "[::1]:8090,unix:/a"}).faults), IsEmpty());
}

TEST(Check, DoorsBeyondLoopbackWithoutATokenAreWarnedAbout) {
  const Loaded loaded = load_with({"--http", "0.0.0.0:80", "--resp", ":6380"}, {"SLUICE_RESP_TOKEN=abc"});
  EXPECT_THAT(told(loaded.faults), IsEmpty());
  EXPECT_THAT(told(loaded.warnings),
              ElementsAre("--http: http.listen reaches beyond this machine with '0.0.0.0:80', and asks for no token\n"
                          "  hint: set http.token unless a network policy keeps others out"));
}

TEST(Check, TlsNeedsACertificateAndItsKey) {
  EXPECT_THAT(told(load_with({"--http-tls"}).faults),
              ElementsAre("--http-tls: http.tls needs a certificate\n  hint: set tls.certificate and tls.key"));
  EXPECT_THAT(told(load_with({"--tls-certificate", "c"}).faults),
              ElementsAre("--tls-certificate: tls.certificate needs its private key\n  hint: set tls.key"));
  EXPECT_THAT(told(load_with({"--tls-key", "k"}).faults),
              ElementsAre("--tls-key: tls.key needs its certificate\n  hint: set tls.certificate"));
  EXPECT_THAT(told(load_with({"--resp-tls", "--tls-key", "k", "--tls-certificate", "c"}).faults), IsEmpty());
}

TEST(Check, TwoDoorsDoNotShareAnAddress) {
  EXPECT_THAT(told(load_with({"--resp", "127.0.0.1:8080"}).faults),
              ElementsAre("--resp: resp.listen must have an address of its own, but '127.0.0.1:8080' is that of "
                          "http.listen"));
  EXPECT_THAT(told(load_with({"--resp", "127.0.0.1:0", "--http", "127.0.0.1:0"}).faults), IsEmpty());
}

TEST(Check, AllAddressesOfTheMachineAreThoseOfEveryDoor) {
  const auto faults = [](const char* http, const char* resp) {
    return told(load_with({"--http", http, "--resp", resp}, {"SLUICE_HTTP_TOKEN=a", "SLUICE_RESP_TOKEN=a"}).faults);
  };
  EXPECT_THAT(
      faults("127.0.0.1:7000", "0.0.0.0:7000"),
      ElementsAre("--resp: resp.listen must have an address of its own, but '0.0.0.0:7000' has its port in common "
                  "with '127.0.0.1:7000' of http.listen"));
  EXPECT_THAT(faults(":7000", "127.0.0.1:7000"), SizeIs(1));
  EXPECT_THAT(faults(":7000", "0.0.0.0:7000"), SizeIs(1));
  EXPECT_THAT(faults("[::1]:7000", "[::]:7000"), SizeIs(1));
  EXPECT_THAT(faults("0.0.0.0:7000", "[::1]:7000"), IsEmpty());
  EXPECT_THAT(faults("0.0.0.0:7000", "127.0.0.1:7001"), IsEmpty());
  EXPECT_THAT(faults("127.0.0.1:7000", "127.0.0.2:7000"), IsEmpty());
  EXPECT_THAT(faults(":0", "127.0.0.1:0"), IsEmpty());
}

TEST(Check, TheDemoBringsItsOwnRules) {
  EXPECT_THAT(told(load_with({"--demo", "--rules", "rules.json"}).faults),
              ElementsAre("--demo: demo brings rules of its own, and rules is 'rules.json'\n"
                          "  hint: leave out one of them"));
  EXPECT_THAT(told(load_with({"--demo", "--rules", "sqlite:rules.db"}).faults), IsEmpty());
}

TEST(Check, RulesThatAreNamedMustHaveAName) {
  EXPECT_THAT(told(load_with({"--rules", ""}).faults),
              ElementsAre("--rules: rules must not be empty\n  hint: leave it out, or name a rules file, a folder of "
                          "them, sqlite:FILE, or postgres://user@host/database"));
}

TEST(Check, AStoreIsMemoryOrRedis) {
  EXPECT_THAT(told(load_with({"--store", "redis://me:hunter2@db:6379"}).faults), IsEmpty());
  EXPECT_THAT(told(load_with({"--store", "redis+cluster://one,two:7000"}).faults), IsEmpty());
  EXPECT_THAT(told(load_with({"--store", "mysql://me:hunter2@db"}).faults),
              ElementsAre("--store: store must be memory or the URL of a Redis, but is 'mysql://me:...@db'\n"
                          "  hint: redis://127.0.0.1:6379, say"));
  EXPECT_THAT(told(load_with({"--store", "redis://me:hunter2@db:port"}).faults),
              ElementsAre(AllOf(StartsWith("--store: store cannot be used: "), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(
      told(load_with({"--redis-prefix", "a{b}"}).faults),
      ElementsAre("--redis-prefix: redis.prefix must have one character at least and no braces, but is 'a{b}'"));
}

TEST(Check, WhatIsNotBuiltYetIsRefused) {
  EXPECT_THAT(told(load_with({"--grpc", "127.0.0.1:1"}).faults),
              ElementsAre("--grpc: grpc.listen must be off: gRPC is not built yet"));
}

TEST(Check, ViolationsAreKeptInADatabase) {
  EXPECT_THAT(told(load_with({"--violations-in", "violations.json"}).faults),
              ElementsAre("--violations-in: violations.in must be a database, but is 'violations.json'\n"
                          "  hint: sqlite:FILE or postgres://..."));
  EXPECT_THAT(told(load_with({"--violations-in", "sqlite:violations.db"}).faults), IsEmpty());
}

}  // namespace
}  // namespace sluice::config
