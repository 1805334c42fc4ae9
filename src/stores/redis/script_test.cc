// The script as servers send it, on Redis's own clock.
#include "stores/redis/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "stores/redis/question.h"
#include "stores/redis/redis_server_testing.h"
#include "stores/store.h"

namespace sluice::redis_store {
namespace {

using stores::Action;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kName = "sluice{}0:k";

class Script : public testing::Test {
 protected:
  Script() {
    redis_.command({"FLUSHALL"});
    redis_.command({"SCRIPT", "LOAD", script_text()});
  }

  RedisReply ask(Action action, const Limit& limit, Tokens cost = kOneToken, std::string_view channel = "",
                 std::span<stores::Decided> quiet = {}) {
    const Take take{"k", &limit, cost};
    stores::Ask ask;
    ask.is_quiet = !quiet.empty();
    ask.decided = quiet;
    ask.action = action;
    ask.takes = {&take, 1};
    ask.together = 1;
    ask.results = {&result_, 1};
    Question question("sluice");
    EXPECT_TRUE(question.add(ask));
    const RedisReply reply =
        redis_.command({"EVALSHA", script_sha1(), "1", question.names()[0], question.program(), channel});
    EXPECT_TRUE(reply.is_error() || question.answer(reply.text));
    unreadable_ = question.unreadable();
    EXPECT_EQ(question.undecided().size(), unreadable_.empty() ? 0U : 1U);
    return reply;
  }
  bool is_there() { return redis_.command({"EXISTS", kName}).integer == 1; }

  RedisServer& redis_ = shared_redis();
  stores::BucketResult result_;
  std::string unreadable_;
  const Limit limit_ = *Limit::token_bucket(20, 5);
};

TEST_F(Script, HasTheShaThatRedisGivesIt) {
  EXPECT_EQ(redis_.command({"SCRIPT", "LOAD", script_text()}).text, script_sha1());
}

TEST_F(Script, TakesNoTimeFromItsCaller) {
  EXPECT_THAT(std::string(script_text()), HasSubstr("call('TIME')"));
  EXPECT_THAT(std::string(script_text()), Not(HasSubstr("ARGV[3]")));
}

TEST_F(Script, TellsTheCallerThatItIsNotThere) {
  ask(Action::kTake, limit_);
  redis_.command({"SCRIPT", "FLUSH"});
  EXPECT_THAT(ask(Action::kTake, limit_).text, StartsWith("NOSCRIPT"));
  redis_.command({"SCRIPT", "LOAD", script_text()});
  ask(Action::kTake, limit_);
  EXPECT_TRUE(result_.decision.allowed());
}

TEST_F(Script, ForgetsABucketThatIsFullWhichIsThenAsNew) {
  ask(Action::kTake, limit_, Tokens::whole(5));
  EXPECT_EQ(result_.decision.remaining, Tokens());
  EXPECT_EQ(result_.reset_after, Duration::millis(250));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (is_there() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_FALSE(is_there());
  ask(Action::kTake, limit_, Tokens::whole(5));
  EXPECT_TRUE(result_.decision.allowed());
  EXPECT_EQ(result_.reset_after, Duration::millis(250));
}

TEST_F(Script, RefillsByTheClockOfRedis) {
  const Limit slow = *Limit::token_bucket(0.001, 5);
  ask(Action::kTake, slow, Tokens::whole(5));
  ask(Action::kTake, slow);
  EXPECT_EQ(result_.decision.verdict, Verdict::kLimited);
  EXPECT_LE(result_.decision.retry_after, Duration::seconds(1000));
  EXPECT_GT(result_.decision.retry_after, Duration::seconds(900));
}

TEST_F(Script, TellsOfRefundsAndResetsWhereItIsTold) {
  RedisClient listener(redis_.socket());
  listener.command({"SUBSCRIBE", "news"});
  ask(Action::kTake, limit_, Tokens::whole(4), "news");
  ask(Action::kRefund, limit_, kOneToken, "");
  ask(Action::kRefund, limit_, kOneToken, "news");
  stores::Decided taken_in_advance;
  ask(Action::kRefund, limit_, kOneToken, "news", {&taken_in_advance, 1});
  ask(Action::kReset, limit_, kOneToken, "news");
  redis_.command({"PUBLISH", "news", "that is all"});
  for (const std::string& said : {std::string(kName), "reset " + std::string(kName), std::string("that is all")}) {
    EXPECT_EQ(listener.receive().elements[2].text, said);
  }
}

// As when a fleet is reloaded server by server: who knows the slower rate has rejected for longer than it takes now.
TEST_F(Script, TellsOfABucketThatGoesOnAtAFasterRateOrInAnotherWindow) {
  RedisClient listener(redis_.socket());
  listener.command({"SUBSCRIBE", "news"});
  const Limit slow = *Limit::token_bucket(0.5, 5), fast = *Limit::token_bucket(1, 5);
  const Limit window = *Limit::fixed_window(Tokens::whole(5), Duration::seconds(1000));
  const auto is_told_of = [&](const Limit& limit, Tokens cost) {
    ask(Action::kTake, limit, cost, "news");
    redis_.command({"PUBLISH", "news", "that is all"});
    const std::string said = listener.receive().elements[2].text;
    if (said != kName) return false;
    EXPECT_EQ(listener.receive().elements[2].text, "that is all");
    return true;
  };
  EXPECT_FALSE(is_told_of(slow, Tokens::whole(4)));
  EXPECT_FALSE(is_told_of(slow, kOneToken));
  EXPECT_FALSE(is_told_of(slow, Tokens::whole(2))) << "rejected";
  EXPECT_TRUE(is_told_of(fast, Tokens::whole(2))) << "rejected, but carried over";
  EXPECT_FALSE(is_told_of(fast, Tokens::whole(2)));
  EXPECT_FALSE(is_told_of(slow, Tokens::whole(2)));
  EXPECT_TRUE(is_told_of(window, Tokens::whole(2)));
  EXPECT_TRUE(is_told_of(slow, Tokens::whole(2)));
}

// States that no Sluice wrote, or a later one: of another form, and cut off or too long ones of each form there is.
TEST_F(Script, WritesNothingOverAStateItCannotReadAndSaysSo) {
  for (const std::string& state :
       {std::string("x"), std::string(), "\x09" + std::string(30, 'x'), "\x04" + std::string(29, 'x'),
        "\x04" + std::string(31, 'x'), "\x02" + std::string(41, 'x'), "\x03" + std::string(43, 'x')}) {
    redis_.command({"SET", kName, state});
    for (const Limit& limit : {limit_, *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(1))}) {
      for (const Action action : {Action::kTake, Action::kPeek, Action::kRefund}) {
        ask(action, limit);
        EXPECT_EQ(unreadable_, action == Action::kRefund ? "" : kName);
        EXPECT_EQ(redis_.command({"GET", kName}).text, state);
      }
    }
  }
}

TEST_F(Script, FillsABucketThatItCannotReadWhenThatIsReset) {
  redis_.command({"SET", kName, "x"});
  ask(Action::kReset, limit_);
  EXPECT_FALSE(is_there());
  ask(Action::kTake, limit_);
  EXPECT_EQ(unreadable_, "");
  EXPECT_EQ(result_.decision.remaining, Tokens::whole(4));
}

TEST_F(Script, KeepsABucketInThirtyOneBytes) {
  ask(Action::kTake, *Limit::token_bucket(0.001, 5));
  EXPECT_EQ(redis_.command({"STRLEN", kName}).integer, 31);
}

}  // namespace
}  // namespace sluice::redis_store
