// What clients say when they connect, in both protocols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doors/resp/command_table.h"
#include "doors/resp/session_testing.h"
#include "resp_client/reply_reader.h"

namespace sluice::doors::resp {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

json value_of(std::string bytes) {
  std::string_view rest = bytes;
  const auto reply = resp_client::read_reply(rest);
  EXPECT_TRUE(reply && rest.empty()) << bytes;
  return reply.value_or(json());
}

Options with_token(const char* token) {
  Options options;
  options.access = Access(token);
  return options;
}

TEST(Connection, PingAndEchoAnswerWhatTheyWereSent) {
  SessionUnderTest test;
  EXPECT_EQ(test.ask({"PING"}), "+PONG\r\n");
  EXPECT_EQ(test.ask({"ping", "a\r\nb"}), "$4\r\na\r\nb\r\n");
  EXPECT_EQ(test.ask({"ECHO", ""}), "$0\r\n\r\n");
  EXPECT_EQ(test.ask({"PING", "a", "b"}), "-ERR wrong number of arguments for 'ping' command\r\n");
  EXPECT_EQ(test.ask({"ECHO"}), "-ERR wrong number of arguments for 'echo' command\r\n");
}

TEST(Connection, HelloChoosesTheProtocol) {
  SessionUnderTest test;
  const std::string old = test.ask({"HELLO"});
  EXPECT_THAT(old, StartsWith("*14\r\n$6\r\nserver\r\n$6\r\nsluice\r\n"));
  const std::string reply = test.ask({"HELLO", "3", "SETNAME", "web"});
  EXPECT_THAT(reply, StartsWith("%7\r\n"));
  const json hello = value_of(reply);
  EXPECT_EQ(hello["proto"], 3);
  EXPECT_EQ(hello["role"], "master");
  EXPECT_EQ(hello["id"], value_of(test.ask({"CLIENT", "ID"})));
  EXPECT_EQ(test.ask({"CLIENT", "GETNAME"}), "$3\r\nweb\r\n");
  EXPECT_THAT(test.ask({"HELLO", "2"}), StartsWith("*14\r\n"));
  EXPECT_EQ(test.ask({"HELLO", "4"}), "-NOPROTO unsupported protocol version\r\n");
  EXPECT_THAT(test.ask({"HELLO", "x"}), StartsWith("-ERR Protocol version is not an integer"));
  EXPECT_EQ(test.ask({"HELLO", "3", "NONE"}), "-ERR Syntax error in HELLO option 'NONE'\r\n");
  EXPECT_THAT(test.ask({"HELLO", "3", "AUTH", "x"}), StartsWith("-ERR Syntax error"));
  EXPECT_THAT(test.ask({"HELLO", "3", "SETNAME", "a b"}), StartsWith("-ERR Client names cannot contain"));
  // Nothing of a HELLO that fails takes effect.
  EXPECT_EQ(test.ask({"SLUICE.RESET", "KEY", "k"}), "+OK\r\n");
  EXPECT_THAT(test.ask({"HELLO"}), StartsWith("*14\r\n"));
}

TEST(Connection, NothingButTheTokenOpensADoorThatWantsOne) {
  SessionUnderTest test(with_token("open sesame"));
  const std::string no = "-NOAUTH Authentication required.\r\n";
  EXPECT_EQ(test.ask({"PING"}), no);
  EXPECT_EQ(test.ask({"CL.THROTTLE", "k", "1", "1", "1"}), no);
  EXPECT_EQ(test.ask({"NONE"}), no);
  EXPECT_THAT(test.ask({"HELLO", "3"}), StartsWith("-NOAUTH HELLO must be called"));
  EXPECT_THAT(test.ask({"AUTH", "sesame"}), StartsWith("-WRONGPASS"));
  EXPECT_THAT(test.ask({"AUTH", "root", "open sesame"}), StartsWith("-WRONGPASS"));
  EXPECT_THAT(test.ask({"HELLO", "3", "AUTH", "default", "x"}), StartsWith("-WRONGPASS"));
  EXPECT_EQ(test.ask({"PING"}), no);
  EXPECT_EQ(test.ask({"AUTH", "open sesame"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"PING"}), "+PONG\r\n");
  EXPECT_EQ(test.ask({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(test.ask({"PING"}), no);
  EXPECT_EQ(test.ask({"AUTH", "default", "open sesame"}), "+OK\r\n");
  EXPECT_EQ(test.memory->stats().keys, 0u);
}

TEST(Connection, HelloWithTheTokenOpensTheDoorInOneStep) {
  SessionUnderTest test(with_token("t"));
  EXPECT_THAT(test.ask({"HELLO", "3", "AUTH", "default", "t", "SETNAME", "n"}), StartsWith("%7\r\n"));
  EXPECT_EQ(test.ask({"PING"}), "+PONG\r\n");
}

TEST(Connection, StrangersMaySendLittle) {
  SessionUnderTest strangers(with_token("t"));
  EXPECT_EQ(strangers.send("*11\r\n"), "-ERR Protocol error: invalid multibulk length\r\n");
  EXPECT_TRUE(strangers.is_closed);
  SessionUnderTest known(with_token("t"));
  known.ask({"AUTH", "t"});
  EXPECT_EQ(known.send("*11\r\n"), "");
  EXPECT_FALSE(known.is_closed);
}

TEST(Connection, AuthWithoutATokenToSayIsAMistakeWorthTelling) {
  SessionUnderTest test;
  EXPECT_THAT(test.ask({"AUTH", "x"}), StartsWith("-ERR AUTH <password> called without any password configured"));
  EXPECT_EQ(test.ask({"AUTH", "default", "x"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"AUTH", "a", "b", "c"}), "-ERR syntax error\r\n");
}

TEST(Connection, ClientRemembersWhatItWasToldUntilReset) {
  SessionUnderTest test;
  EXPECT_EQ(test.ask({"CLIENT", "GETNAME"}), "$-1\r\n");
  EXPECT_EQ(test.ask({"CLIENT", "SETNAME", "worker-1"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"client", "setinfo", "LIB-NAME", "redis-py"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"CLIENT", "SETINFO", "lib-ver", "5.0"}), "+OK\r\n");
  const json info = value_of(test.ask({"CLIENT", "INFO"}));
  EXPECT_THAT(info.get<std::string>(), HasSubstr(" addr=203.0.113.7:0 name=worker-1 age=0 idle=0 "));
  EXPECT_THAT(info.get<std::string>(), HasSubstr(" resp=2 lib-name=redis-py lib-ver=5.0\n"));
  EXPECT_EQ(test.ask({"CLIENT", "NO-EVICT", "on"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"CLIENT", "REPLY", "ON"}), "+OK\r\n");
  EXPECT_THAT(test.ask({"CLIENT", "REPLY", "OFF"}), StartsWith("-ERR "));
  EXPECT_THAT(test.ask({"CLIENT", "SETNAME", "two words"}), StartsWith("-ERR Client names cannot contain"));
  EXPECT_THAT(test.ask({"CLIENT", "SETINFO", "lib-age", "3"}), StartsWith("-ERR Unrecognized option 'lib-age'"));
  EXPECT_THAT(test.ask({"CLIENT", "SETINFO", "lib-ver", "a b"}), StartsWith("-ERR lib-ver cannot"));
  EXPECT_THAT(test.ask({"CLIENT", "KILL"}), StartsWith("-ERR unknown subcommand 'KILL'"));
  EXPECT_THAT(test.ask({"CLIENT", "SETNAME"}), HasSubstr("for 'client|SETNAME' command"));
  test.ask({"HELLO", "3"});
  EXPECT_EQ(test.ask({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(test.ask({"CLIENT", "GETNAME"}), "$-1\r\n");
}

TEST(Connection, NoTwoLoopsGiveOutTheSameId) {
  Options options;
  options.first_client_id = 2;
  options.client_id_step = 3;
  SessionUnderTest test(options);
  EXPECT_EQ(test.ask({"CLIENT", "ID"}), ":2\r\n");
  test.session = test.maker.make(test.peer);
  EXPECT_EQ(test.ask({"CLIENT", "ID"}), ":5\r\n");
}

TEST(Connection, QuitIsAnsweredAndNothingAfterIt) {
  SessionUnderTest test;
  EXPECT_EQ(test.send(command({"QUIT"}) + command({"PING"})), "+OK\r\n");
  EXPECT_TRUE(test.is_closed);
}

TEST(Connection, ThereIsOneDatabase) {
  SessionUnderTest test;
  EXPECT_EQ(test.ask({"SELECT", "0"}), "+OK\r\n");
  EXPECT_EQ(test.ask({"SELECT", "1"}), "-ERR DB index is out of range\r\n");
  EXPECT_EQ(test.ask({"SELECT", "x"}), "-ERR value is not an integer or out of range\r\n");
}

TEST(Connection, AnUnknownCommandIsShownButNotAtLength) {
  SessionUnderTest test;
  EXPECT_EQ(test.ask({"GET", "a", "b"}), "-ERR unknown command 'GET', with args beginning with: 'a' 'b' \r\n");
  const std::string reply = test.ask({std::string(5000, 'x'), "a\r\n+OK", std::string(5000, 'y'), "never"});
  EXPECT_LT(reply.size(), 400u);
  EXPECT_EQ(reply.find("\r\n"), reply.size() - 2);
  EXPECT_FALSE(test.is_closed);
}

TEST(Connection, GarbageIsAnsweredOnceAndEndsTheConnection) {
  SessionUnderTest test;
  EXPECT_EQ(test.send(command({"PING"}) + "*1\r\n!oops\r\n" + command({"PING"})),
            "+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n");
  EXPECT_TRUE(test.is_closed);
  EXPECT_TRUE(test.waiting.empty());
}

// A page can make a browser send this, with commands in its body.
TEST(Connection, ARequestOfHttpIsHungUpOnAndNothingInItIsDone) {
  SessionUnderTest test;
  test.ask({"CL.THROTTLE", "k", "0", "1", "1000"});
  EXPECT_EQ(test.send("POST / HTTP/1.1\r\nHost: x\r\n\r\nSLUICE.RESET KEY k\r\n"), "");
  EXPECT_TRUE(test.is_closed);
  SessionUnderTest other;
  EXPECT_EQ(other.send("GET / HTTP/1.1\r\nhost: x\r\n").find("-ERR unknown command"), 0U);
  EXPECT_TRUE(other.is_closed);
}

class ServerCommands : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { test_.ask({"HELLO", GetParam()}); }
  json ask(std::initializer_list<std::string_view> arguments) { return value_of(test_.ask(arguments)); }

  SessionUnderTest test_;
};

TEST_P(ServerCommands, CommandTellsOfEveryRow) {
  const json all = ask({"COMMAND"});
  ASSERT_EQ(all.size(), commands().size());
  EXPECT_EQ(ask({"COMMAND", "COUNT"}), commands().size());
  EXPECT_EQ(ask({"COMMAND", "LIST"}).size(), commands().size());
  EXPECT_EQ(ask({"COMMAND", "INFO"}), all);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].size(), 10u);
    EXPECT_EQ(all[i][0], std::string(commands()[i].name));
    EXPECT_EQ(all[i][1], commands()[i].arity);
  }
  const json two = ask({"COMMAND", "INFO", "Cl.Throttle", "none"});
  EXPECT_EQ(two[0][3], 1);
  EXPECT_TRUE(two[1].is_null());
  EXPECT_TRUE(ask({"COMMAND", "NONE"}).contains("error"));
}

TEST_P(ServerCommands, DocsHaveASummaryOfEachCommand) {
  const bool is_map = std::string_view(GetParam()) == "3";
  const size_t all = ask({"COMMAND", "DOCS"}).size();
  EXPECT_EQ(all, commands().size() * (is_map ? 1 : 2));
  const json docs = ask({"COMMAND", "DOCS", "ping", "none"});
  const json ping = is_map ? docs["ping"] : docs[1];
  EXPECT_THAT(ping.dump(), HasSubstr("Answers PONG"));
}

TEST_P(ServerCommands, ConfigGetHasWhatBenchmarksAskFor) {
  const bool is_map = std::string_view(GetParam()) == "3";
  EXPECT_EQ(ask({"CONFIG", "GET", "save"}), is_map ? json({{"save", ""}}) : json({"save", ""}));
  EXPECT_EQ(ask({"CONFIG", "GET", "appendonly", "save"}).size(), is_map ? 2u : 4u);
  EXPECT_TRUE(ask({"CONFIG", "GET", "maxmemory"}).empty());
  EXPECT_TRUE(ask({"CONFIG", "SET", "save", "1"}).contains("error"));
}

TEST_P(ServerCommands, InfoCountsDecisions) {
  for (int i = 0; i < 3; ++i) ask({"CL.THROTTLE", "k", "1", "1", "1"});
  ask({"SLUICE.CHECK", "KEY", "other", "RATE", "1", "BURST", "1"});
  const std::string info = ask({"INFO", "server"});
  EXPECT_THAT(info, HasSubstr("redis_version:7."));
  EXPECT_THAT(info, HasSubstr("loading:0\r\n"));
  EXPECT_THAT(info, HasSubstr("\r\nallowed:3\r\nrejected:1\r\n"));
}

INSTANTIATE_TEST_SUITE_P(Resp, ServerCommands, testing::Values("2", "3"));

TEST(Commands, EachIsFoundInAnyCaseAndNothingElse) {
  for (const Command& one : commands()) {
    std::string name(one.name);
    EXPECT_EQ(find_command(name), &one);
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(find_command(name), &one);
    EXPECT_EQ(find_command(name + "X"), nullptr);
  }
  EXPECT_EQ(find_command(""), nullptr);
}

TEST(Connection, AnIdleOneCostsLittle) { EXPECT_LE(sizeof(Session), 96u); }

}  // namespace
}  // namespace sluice::doors::resp
