#include <fcntl.h>

#include <string>

#include "net/serving_testing.h"

namespace sluice::net {
namespace {

TEST(Connection, AnswersWhatCameInOneReadInOneWrite) {
  Serving serving({});
  const Descriptor client = serving.connect();
  say(client, "one\ntwo\nthree\n");
  EXPECT_EQ(receive(client, 14), "one\ntwo\nthree\n");
}

TEST(Connection, PutsMessagesTogetherThatComeByteByByte) {
  Serving serving({});
  const Descriptor client = serving.connect();
  for (const char c : std::string("hello\nworld\n")) say(client, {&c, 1});
  EXPECT_EQ(receive(client, 12), "hello\nworld\n");
}

TEST(Connection, TakesMessagesLargerThanOneRead) {
  Serving serving({});
  const Descriptor client = serving.connect();
  const std::string line = std::string(300'000, 'a') + "\n";
  say(client, line);
  EXPECT_EQ(receive(client, line.size()), line);
}

TEST(Connection, TheLastReplyArrivesThoughMoreWasSentThanIsRead) {
  Serving serving({});
  const Descriptor client = serving.connect();
  say(client, "bye\n" + std::string(100'000, 'z'));
  EXPECT_EQ(receive(client, 100), "bye\n");
  EXPECT_TRUE(is_closed(client));
}

TEST(Connection, AnswersWhatWasAskedBeforeTheOtherEndFinished) {
  Serving serving({});
  const Descriptor client = serving.connect();
  say(client, "last\n");
  shutdown(client.get(), SHUT_WR);
  EXPECT_EQ(receive(client, 100), "last\n");
  EXPECT_TRUE(is_closed(client));
}

// Sends until the server takes no more, for it must not keep more replies than it has room for.
TEST(Connection, AClientThatSendsAndDoesNotReadIsNotReadFrom) {
  Serving serving({});
  const Descriptor client = serving.connect();
  fcntl(client.get(), F_SETFL, O_NONBLOCK);
  const std::string line = "big 99\n";
  size_t sent = 0;
  for (int quiet = 0; quiet < 20;) {
    ASSERT_LT(sent, size_t{64} << 20) << "the server takes everything";
    const std::string_view rest = std::string_view(line).substr(sent % line.size());
    const ssize_t count = send(client.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<size_t>(count);
      quiet = 0;
    } else {
      ++quiet;
      pollfd ready{client.get(), POLLOUT, 0};
      poll(&ready, 1, 10);
    }
  }
  // Whoever reads again gets every reply.
  fcntl(client.get(), F_SETFL, 0);
  const size_t expected = sent / line.size() * 100;
  size_t got = 0;
  while (got < expected) {
    const std::string more = receive(client, 1);
    ASSERT_FALSE(more.empty()) << got << " of " << expected;
    got += more.size();
  }
  EXPECT_EQ(got, expected);
}

TEST(Connection, ThatSaysNothingIsClosedAfterAWhile) {
  Serving serving(Serving::Options{{200, 10'000, 10'000}});
  const Descriptor client = serving.connect();
  EXPECT_TRUE(is_closed(client));
  EXPECT_EQ(serving.traffic.timed_out, 1U);
}

TEST(Connection, ThatSpeaksFromTimeToTimeStaysOpen) {
  Serving serving(Serving::Options{{400, 10'000, 10'000}});
  const Descriptor client = serving.connect();
  for (int i = 0; i < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    say(client, "x\n");
    ASSERT_EQ(receive(client, 2), "x\n");
  }
  EXPECT_EQ(serving.traffic.timed_out, 0U);
}

TEST(Connection, ASlowMessageIsCutOffHoweverOftenAByteComes) {
  Serving serving(Serving::Options{{0, 300, 10'000}});
  const Descriptor client = serving.connect();
  const int64_t start = monotonic_ms();
  while (send(client.get(), "x", 1, MSG_NOSIGNAL) == 1 && monotonic_ms() < start + 5'000) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(monotonic_ms(), start + 2'000);
  EXPECT_EQ(serving.traffic.timed_out, 1U);
}

TEST(Connection, AFirstMessageThatBeginsLateHasItsWholeTime) {
  Serving serving(Serving::Options{{0, 500, 10'000}});
  const Descriptor client = serving.connect();
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  say(client, "be");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  say(client, "gun\n");
  EXPECT_EQ(receive(client, 6), "begun\n");
}

TEST(Connection, AReaderThatNeverReadsIsClosed) {
  Serving serving(Serving::Options{{0, 0, 300}});
  const Descriptor client = serving.connect();
  say(client, "big 20000000\n");
  for (int i = 0; i < 100 && serving.traffic.timed_out == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(serving.traffic.timed_out, 1U);
  EXPECT_EQ(serving.open(), 0U);
}

TEST(Listener, BeyondTheCapConnectionsAreClosedAndCounted) {
  Serving serving(Serving::Options{{}, 2});
  const Descriptor first = serving.connect();
  const Descriptor second = serving.connect();
  say(first, "a\n");
  say(second, "b\n");
  EXPECT_EQ(receive(first, 2) + receive(second, 2), "a\nb\n");
  const Descriptor third = serving.connect();
  EXPECT_TRUE(is_closed(third));
  EXPECT_EQ(serving.traffic.refused, 1U);
  EXPECT_EQ(serving.cap.open, 2U);
}

TEST(Listener, DrainingEndsQuietConnectionsAndTakesNoMoreIn) {
  Serving serving({});
  const Descriptor quiet = serving.connect();
  say(quiet, "x\n");
  receive(quiet, 2);
  const Descriptor busy = serving.connect();
  say(busy, "x\nhalf a mess");
  ASSERT_EQ(receive(busy, 2), "x\n");
  serving.drain();
  EXPECT_TRUE(is_closed(quiet));
  say(busy, "age\n");
  EXPECT_EQ(receive(busy, 100), "half a message\n");
  EXPECT_TRUE(is_closed(busy));
  EXPECT_EQ(serving.traffic.open, 0U);
}

TEST(Listener, DrainingAnswersWhatCameBeforeItAndWasNotReadYet) {
  Serving serving({});
  const Descriptor known = serving.connect();
  say(known, "x\n");
  receive(known, 2);
  Descriptor waiting;
  serving.drain_after([&] {
    say(known, "again\n");
    waiting = serving.connect();  // which nobody has accepted yet
    say(waiting, "new\n");
  });
  EXPECT_EQ(receive(known, 100), "again\n");
  EXPECT_EQ(receive(waiting, 100), "new\n");
  EXPECT_EQ(serving.open(), 0U);
}

TEST(Listener, AResetConnectionIsForgotten) {
  Serving serving({});
  {
    const Descriptor client = serving.connect();
    say(client, "x\n");
    receive(client, 2);
    const linger at_once{1, 0};
    setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  for (int i = 0; i < 100 && serving.open() != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(serving.open(), 0U);
}

}  // namespace
}  // namespace sluice::net
