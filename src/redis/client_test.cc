#include "redis/client.h"

#include <gmock/gmock.h>

#include "allocations/count.h"
#include "redis/client_testing.h"
#include "redis_servers/server.h"

namespace sluice::redis {
namespace {

using redis_testing::Server;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Slots, AreThoseOfTheSpecification) {
  EXPECT_EQ(slot_of("123456789"), 12739);
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("foo{}{bar}"), 8363);
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

TEST(Client, AnswersComeInTheOrderOfTheQuestions) {
  Server server;
  ClientOnLoop client(server.url());
  std::vector<std::unique_ptr<Question>> questions;
  std::vector<Question*> all;
  for (int i = 0; i < 5000; ++i) {
    questions.push_back(std::make_unique<Question>(std::initializer_list<std::string_view>{"INCR", "count"}));
    all.push_back(questions.back().get());
  }
  client.send(all);
  ASSERT_TRUE(wait_until([&] { return all.back()->is_told.load(); }));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i]->answer, std::to_string(i + 1));
  EXPECT_EQ(client.client().counts().replies.value(), 5000U);
}

TEST(Client, RepliesOfEveryKindAreUnderstood) {
  Server server;
  ClientOnLoop client(server.url());
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
  EXPECT_EQ(client.ask({"GET", "k"}), "v");
  EXPECT_EQ(client.ask({"GET", "none"}), "nil");
  EXPECT_EQ(client.ask({"STRLEN", "k"}), "1");
  EXPECT_THAT(client.ask({"HGET", "k", "f"}), StartsWith("-WRONGTYPE"));
  EXPECT_EQ(client.ask({"EVAL", "return {1, {'a', {}, false}, redis.error_reply('X y')}", "0"}), "[1 [a [] nil] -X y]");
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(client.ask({"SET", "large", large}), "OK");
  EXPECT_EQ(client.ask({"GET", "large"}), large);
}

TEST(Client, SpeaksOnALocalSocketWithADatabase) {
  Server server;
  ClientOnLoop client("redis+unix://" + server.socket_path() + "?db=3");
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
  EXPECT_EQ(server.ask({"-n", "3", "GET", "k"}), "v");
}

TEST(Client, FindsAHostByItsName) {
  Server server;
  ClientOnLoop client("redis://localhost:" + std::to_string(server.port()));
  ASSERT_TRUE(client.comes_up());
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
}

TEST(Client, AUserOfTheServerIsEnough) {
  Server server;
  server.ask({"ACL", "SETUSER", "ann", "on", ">p@ss/word", "~ours:*", "+get", "+set", "+ping"});
  ClientOnLoop client("redis://ann:p%40ss%2fword@" + server.address());
  EXPECT_EQ(client.ask({"SET", "ours:k", "v"}), "OK");
  EXPECT_THAT(client.ask({"SET", "k", "v"}), StartsWith("-NOPERM"));
}

TEST(Client, AWrongPasswordIsToldClearly) {
  Server server({"--requirepass", "right"});
  ClientOnLoop client("redis://:wrong@" + server.address());
  ASSERT_TRUE(client.comes_to_complain_of("the server refuses the user or the password: 'WRONGPASS"));
  EXPECT_EQ(client.client().status().why.find("wrong@"), std::string::npos);
  EXPECT_EQ(client.ask({"GET", "k"}), "refused");
  ClientOnLoop silent(server.url());
  EXPECT_TRUE(silent.comes_to_complain_of("the server wants a password"));
  ClientOnLoop right("redis://:right@" + server.address());
  EXPECT_EQ(right.ask({"SET", "k", "v"}), "OK");
}

TEST(Client, EachConnectionBeginsWithThePreamble) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  append_command(options.preamble.emplace_back(), {"SCRIPT", "LOAD", "return 42"});
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  EXPECT_EQ(client.ask({"EVALSHA", "1fa00e76656cc152ad327c13fe365858fd7be306", "0"}), "42");
  append_command(options.preamble.emplace_back(), {"NONSENSE"});
  ClientOnLoop other(options);
  EXPECT_TRUE(other.comes_to_complain_of("the server refuses a command that is needed: 'ERR unknown command"));
}

TEST(Client, SeveralConnectionsShareTheWork) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.connections = 3;
  ClientOnLoop client(options);
  ASSERT_TRUE(wait_until([&] { return client.client().status().connections_up == 3; }));
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(client.ask({"INCR", "count"}), std::to_string(i));
}

TEST(Client, RefusesWhatIsTooMuch) {
  Server server;
  Options options = ClientOnLoop::patient(server.url());
  options.most_under_way = 2;
  ClientOnLoop client(options);
  ASSERT_TRUE(client.comes_up());
  Question first({"GET", "k"}), second({"GET", "k"}), third({"GET", "k"});
  client.send({&first, &second, &third});
  EXPECT_EQ(third.answer, "refused");
  EXPECT_TRUE(wait_until([&] { return second.is_told.load(); }));
  EXPECT_EQ(client.ask({"GET", "k"}), "nil");
}

TEST(Client, ClosingTellsAllThatIsUnderWay) {
  Server server;
  ClientOnLoop client(server.url());
  ASSERT_TRUE(client.comes_up());
  server.freeze();
  Question sent({"GET", "k"}), unsent({"GET", "k"});
  client.send({&sent});
  client.on_loop([&] {
    client.client().send(unsent);
    client.client().close();
  });
  server.thaw();
  EXPECT_EQ(sent.answer, "unknown");
  EXPECT_EQ(unsent.answer, "not sent");
  EXPECT_EQ(client.ask({"GET", "k"}), "refused");
}

// Sends itself again whenever it is told.
class Stubborn final : public Request {
 public:
  explicit Stubborn(ClientOnLoop& client) : client_(client) { append_command(command, {"INCR", "k"}); }
  void begin() {
    if (!client_.client().send(*this)) ++refusals;
  }

  std::atomic<int> replies{0}, refusals{0};

 private:
  void on_reply(const Reply&) override {
    ++replies;
    begin();
  }
  void on_failure(Failure) override { begin(); }

  ClientOnLoop& client_;
};

TEST(Client, ARequestMayBeSentAgainFromWithinItsAnswer) {
  Server server;
  ClientOnLoop client(server.url());
  Stubborn stubborn(client);
  client.on_loop([&] { stubborn.begin(); });
  EXPECT_TRUE(wait_until([&] { return stubborn.replies > 100; }));
  client.on_loop([&] { client.client().close(); });
  EXPECT_EQ(stubborn.refusals, 1);
}

// Counts what its loop's thread allocates between two of its answers.
class Frugal final : public Request {
 public:
  explicit Frugal(Client& client) : client_(client) { append_command(command, {"GET", "k"}); }
  void begin() { client_.send(*this); }

  std::atomic<bool> is_done{false};
  uint64_t allocations = 0;

 private:
  void on_reply(const Reply&) override {
    ++answers_;
    if (answers_ == 100) allocations = sluice::testing::allocations();
    if (answers_ < 1100) return begin();
    allocations = sluice::testing::allocations() - allocations;
    is_done = true;
  }
  void on_failure(Failure) override { begin(); }

  Client& client_;
  int answers_ = 0;
};

TEST(Client, ARequestAllocatesNothing) {
  Server server;
  server.ask({"SET", "k", std::string(500, 'x')});
  ClientOnLoop client(server.url());
  Frugal frugal(client.client());
  client.on_loop([&] { frugal.begin(); });
  ASSERT_TRUE(wait_until([&] { return frugal.is_done.load(); }));
  EXPECT_EQ(frugal.allocations, 0U);
}

TEST(Client, OptionsThatCannotWorkAreRefused) {
  auto loop = std::move(std::get<std::unique_ptr<net::Loop>>(net::Loop::create()));
  auto made = Client::create(*loop, ClientOnLoop::options_for("rediss://h:1"));
  EXPECT_THAT(std::get<std::string>(made), HasSubstr("rediss://h:1: TLS is wanted"));
}

}  // namespace
}  // namespace sluice::redis
