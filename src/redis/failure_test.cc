// A server that is silent, gone, back, or not what it was.
#include <gmock/gmock.h>

#include "redis/alarms.h"
#include "redis/client.h"
#include "redis/client_testing.h"
#include "redis_servers/fake_server.h"
#include "redis_servers/server.h"

namespace sluice::redis {
namespace {

using redis_testing::FakeServer;
using redis_testing::Server;
using std::chrono::milliseconds;

// What a busy machine may add.
constexpr milliseconds kSlack{200};
const std::string kRoleAndPong = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n+PONG\r\n";

TEST(Failure, ASilentServerCostsItsTimeFewTimesAndThenNothing) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = options.connect_ms = 100;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.freeze();
  int told = 0;
  for (; told < 10; ++told) {
    Question question({"INCR", "k"});
    if (client.ask(question) == "refused") break;
    EXPECT_EQ(question.answer, "unknown");
    EXPECT_GE(question.took(), milliseconds(99));
    EXPECT_LT(question.took(), milliseconds(100) + kSlack);
  }
  EXPECT_GE(told, 1);
  EXPECT_LE(told, 5);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(client.ask({"INCR", "k"}), "refused");
  EXPECT_FALSE(client.client().status().is_available);
  EXPECT_NE(client.client().status().servers[0].breaker, Breaker::kClosed);
  server.thaw();
  EXPECT_TRUE(wait_until([&] { return client.client().status().is_available; }, milliseconds(3000)));
  EXPECT_NE(client.ask({"INCR", "k"}), "refused");
}

TEST(Failure, AThousandAtOnceAreAllToldInTime) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 20;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.freeze();
  std::vector<std::unique_ptr<Question>> questions;
  std::vector<Question*> all;
  for (int i = 0; i < 1000; ++i) {
    questions.push_back(std::make_unique<Question>(std::initializer_list<std::string_view>{"INCR", "count"}));
    all.push_back(questions.back().get());
  }
  client.send(all);
  for (Question* const question : all) {
    ASSERT_TRUE(wait_until([&] { return question->is_told.load(); }));
    EXPECT_EQ(question->answer, "unknown");
    EXPECT_LT(question->took(), milliseconds(20) + kSlack);
  }
  server.thaw();
  for (Question* const question : all) EXPECT_EQ(question->times_told, 1);
}

TEST(Failure, TheTimeOfARequestCountsFromWhenItBegan) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 10'000;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.freeze();
  Question late({"INCR", "k"});
  late.since_ns = monotonic_ns() - 9'900 * kNsPerMs;
  EXPECT_EQ(client.ask(late), "unknown");
  EXPECT_LT(late.took(), milliseconds(5'000));
  Question too_late({"INCR", "k"});
  too_late.since_ns = monotonic_ns() - 10'000 * kNsPerMs;
  EXPECT_EQ(client.ask(too_late), "refused");
  server.thaw();
}

TEST(Failure, ALateReplyIsNotTakenForTheNext) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 200;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.freeze();
  Question late({"SET", "k", "late"}), next({"ECHO", "next"});
  EXPECT_EQ(client.ask(late), "unknown");
  client.send({&next});
  server.thaw();
  EXPECT_TRUE(wait_until([&] { return next.is_told.load(); }));
  EXPECT_EQ(next.answer, "next");
  EXPECT_EQ(client.client().counts().lost.value(), 0U);
}

TEST(Failure, AServerThatWasKilledIsBackWithinThreeSeconds) {
  Server server;
  ClientOnLoop client(server.url());
  ASSERT_TRUE(client.comes_up());
  server.kill();
  EXPECT_TRUE(client.comes_to_complain_of("cannot connect: Connection refused"));
  EXPECT_TRUE(client.comes_to_say("refused", {"GET", "k"}));
  server.start();
  EXPECT_TRUE(client.comes_to_say("nil", {"GET", "k"}, milliseconds(3000)));
  EXPECT_GE(client.client().counts().connected.value(), 2U);
  EXPECT_GE(client.changes.load(), 3);
}

TEST(Failure, AMasterThatBecameAReplicaIsLeftUntilItIsOneAgain) {
  Server other, server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 300;
  ClientOnLoop client(options);
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
  server.ask({"REPLICAOF", "127.0.0.1", std::to_string(other.port())});
  Question question({"SET", "k", "w"});
  EXPECT_EQ(client.ask(question), "not sent");
  EXPECT_LT(question.took(), milliseconds(300) + kSlack);
  EXPECT_TRUE(client.comes_to_complain_of("the server is a slave, and a master is needed"));
  EXPECT_EQ(client.ask({"SET", "k", "w"}), "refused");
  server.ask({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "w"}, milliseconds(3000)));
}

TEST(Failure, AServerThatStillReadsItsDataIsWaitedFor) {
  Server server({"--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024"});
  server.ask({"DEBUG", "POPULATE", "200", "k", "100"});
  server.ask({"SAVE"});
  server.kill();
  server.start();  // reads for a second, and says so
  ClientOnLoop client(server.url());
  EXPECT_TRUE(client.comes_to_complain_of("the server still reads its data: 'LOADING"));
  EXPECT_TRUE(client.comes_to_say("nil", {"GET", "none"}));
}

TEST(Failure, AServerThatCannotJustNowIsAskedAgain) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 300;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.ask({"CONFIG", "SET", "min-replicas-to-write", "1"});
  Question never({"SET", "k", "v"});
  // Or its time was up while it was being asked once more.
  EXPECT_THAT(client.ask(never), testing::AnyOf("not sent", "unknown"));
  EXPECT_GE(client.client().counts().retried.value(), 1U);
  Question soon({"SET", "k", "v"});
  client.send({&soon});
  server.ask({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(wait_until([&] { return soon.is_told.load(); }));
  EXPECT_EQ(soon.answer, "OK");
  EXPECT_EQ(client.client().counts().lost.value(), 0U);
}

struct Refusing {
  const char* setting;
  const char* value;
  const char* says;
};

class AServerThatRefuses : public ::testing::TestWithParam<Refusing> {};

TEST_P(AServerThatRefuses, CostsItsTimeFewTimesAndIsBackSoonAfterItNoLongerDoes) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = 50;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  server.ask({"CONFIG", "SET", GetParam().setting, GetParam().value});
  EXPECT_TRUE(client.comes_to_say("refused", {"SET", "k", "v"}));
  EXPECT_TRUE(client.comes_to_complain_of(GetParam().says));
  const auto begin = std::chrono::steady_clock::now();
  int waited = 0;
  for (int i = 0; i < 2000; ++i) waited += client.ask({"SET", "k", "v"}) == "refused" ? 0 : 1;
  const auto took = std::chrono::steady_clock::now() - begin;
  // One that waits for all of its time with each try, and the first tries come soon after one another.
  EXPECT_LE(waited, 6 + took / milliseconds(500));
  server.ask({"CONFIG", "SET", GetParam().setting, "0"});
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "v"}, milliseconds(3000)));
}

INSTANTIATE_TEST_SUITE_P(All, AServerThatRefuses,
                         ::testing::Values(Refusing{"min-replicas-to-write", "1", "the server says NOREPLICAS"},
                                           Refusing{"maxmemory", "1", "the server says OOM"}));

TEST(Failure, AServerThatSendsUsElsewhereWhereNobodyGoesIsLeftAlone) {
  const std::string moved = "-MOVED 1 127.0.0.1:1\r\n";
  FakeServer server({kRoleAndPong, moved, moved, moved, moved, moved, moved});
  ClientOnLoop client(server.url());
  ASSERT_TRUE(client.comes_up());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.ask({"GET", "k"}), "not sent");
  EXPECT_TRUE(client.comes_to_complain_of("the server says MOVED"));
  EXPECT_FALSE(client.client().status().is_available);
}

TEST(Failure, AnErrorOfACommandsOwnIsNoReasonToLeaveTheServer) {
  Server server;
  ClientOnLoop client(server.url());
  ASSERT_TRUE(client.comes_up());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(client.ask({"INCR"}).starts_with("-ERR"));
  EXPECT_EQ(client.client().counts().lost.value(), 0U);
  EXPECT_TRUE(client.client().status().is_available);
}

TEST(Failure, AServerThatIsYetToAnswerIsNotAvailable) {
  Server server;
  server.freeze();
  ClientOnLoop client(server.url());
  EXPECT_FALSE(client.client().status().is_available);
  server.thaw();
  EXPECT_TRUE(wait_until([&] { return client.client().status().is_available; }));
}

class Nonsense : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Nonsense, NeitherCrashesNorHangs) {
  FakeServer server(GetParam());
  Options options = ClientOnLoop::patient(server.url());
  options.request_ms = options.connect_ms = 50;
  ClientOnLoop client(options);
  const auto end = std::chrono::steady_clock::now() + milliseconds(150);
  while (std::chrono::steady_clock::now() < end) {
    Question question({"GET", "k"});
    client.ask(question);
    EXPECT_LT(question.took(), milliseconds(50) + kSlack);
    EXPECT_EQ(question.times_told, 1);
  }
  EXPECT_GE(server.connections(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, Nonsense,
    ::testing::Values(std::vector<std::string>{"HTTP/1.1 400 Bad Request\r\n\r\n"}, std::vector<std::string>{""},
                      std::vector<std::string>{"", "", ""}, std::vector<std::string>{kRoleAndPong, "$5\r\nhel"},
                      std::vector<std::string>{kRoleAndPong, "+a\r\n+b\r\n+c\r\n+d\r\n"},
                      std::vector<std::string>{kRoleAndPong, "*2147483647\r\n"},
                      std::vector<std::string>{kRoleAndPong, "*-7\r\n$-9\r\n"},
                      std::vector<std::string>{kRoleAndPong, "$99999999999999999999\r\n"},
                      std::vector<std::string>{kRoleAndPong,
                                               "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"},
                      std::vector<std::string>{kRoleAndPong, "-MOVED 1 nowhere\r\n"},
                      std::vector<std::string>{kRoleAndPong, "-MOVED 99999 h:1\r\n"},
                      std::vector<std::string>{kRoleAndPong, "-ASK\r\n"},
                      std::vector<std::string>{"-ERR max number of clients reached\r\n"}));

}  // namespace
}  // namespace sluice::redis
