#include "net/fibers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/server.h"
#include "net/serving_testing.h"

namespace sluice::net {
namespace {

// Runs `body` on a fiber.
class Piece final : public Task {
 public:
  explicit Piece(std::function<void(size_t)> body) : body_(std::move(body)) {}
  void run(size_t seat) override { body_(seat); }
  void on_end() override { has_ended = true; }

  bool has_ended = false;

 private:
  std::function<void(size_t)> body_;
};

class FibersTest : public testing::Test {
 protected:
  std::unique_ptr<Loop> loop_ = std::move(std::get<std::unique_ptr<Loop>>(Loop::create()));
  Fibers fibers_{*loop_};
};

TEST_F(FibersTest, WhatDoesNotWaitEndsAtOnce) {
  std::vector<size_t> seats;
  Piece piece([&](size_t seat) { seats.push_back(seat); });
  for (int i = 0; i < 3; ++i) {
    piece.has_ended = false;
    fibers_.run(piece);
    EXPECT_TRUE(piece.has_ended);
  }
  EXPECT_EQ(seats, (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(fibers_.current(), nullptr);
}

TEST_F(FibersTest, ThoseThatWaitGoOnWhereTheyWereInTheOrderTheyAreWoken) {
  std::string order;
  Fiber* waiting[2] = {};
  const auto body = [&](int number) {
    return [&, number](size_t seat) {
      EXPECT_EQ(seat, static_cast<size_t>(number));
      waiting[number] = fibers_.current();
      order += static_cast<char>('a' + number);
      EXPECT_TRUE(fibers_.wait());
      order += static_cast<char>('A' + number);
    };
  };
  Piece first(body(0));
  Piece second(body(1));
  loop_->post([&] {
    fibers_.run(first);
    fibers_.run(second);
    EXPECT_EQ(order, "ab");
    EXPECT_EQ(fibers_.waiting(), 2U);
    fibers_.wake(*waiting[1]);
    fibers_.wake(*waiting[0]);
    EXPECT_FALSE(second.has_ended);
    loop_->stop();
  });
  loop_->run();
  EXPECT_EQ(order, "abBA");
  EXPECT_TRUE(first.has_ended);
  EXPECT_TRUE(second.has_ended);
  EXPECT_EQ(fibers_.waiting(), 0U);
}

TEST_F(FibersTest, MoreThanThereMayBeWaitTheirTurn) {
  Fibers few(*loop_, {.most = 2});
  std::vector<Fiber*> waiting;
  std::vector<std::unique_ptr<Piece>> pieces;
  loop_->post([&] {
    for (int i = 0; i < 5; ++i) {
      pieces.push_back(std::make_unique<Piece>([&](size_t seat) {
        EXPECT_LT(seat, 2U);
        waiting.push_back(few.current());
        EXPECT_TRUE(few.wait());
      }));
      few.run(*pieces.back());
    }
    EXPECT_EQ(waiting.size(), 2U);
  });
  // Wakes whoever waits, turn by turn.
  std::function<void()> wake_all = [&] {
    for (Fiber* fiber : std::exchange(waiting, {})) few.wake(*fiber);
    const bool all_ended = std::all_of(pieces.begin(), pieces.end(), [](const auto& p) { return p->has_ended; });
    if (all_ended) return loop_->stop();
    loop_->post(wake_all);
  };
  loop_->post(wake_all);
  loop_->run();
  for (const auto& piece : pieces) EXPECT_TRUE(piece->has_ended);
}

TEST_F(FibersTest, AtTheEndThoseThatWaitAreToldThatNobodyComes) {
  bool was_woken = true;
  Piece piece([&](size_t) {
    was_woken = fibers_.wait();
    // And nobody waits again.
    EXPECT_FALSE(fibers_.wait());
  });
  fibers_.run(piece);
  EXPECT_FALSE(piece.has_ended);
  fibers_.end_all();
  EXPECT_TRUE(piece.has_ended);
  EXPECT_FALSE(was_woken);
}

TEST_F(FibersTest, AFiberHasAStackOfItsOwnThatHoldsMuch) {
  uint64_t sum = 0;
  Piece piece([&](size_t) {
    volatile char large[100'000];
    for (size_t i = 0; i < sizeof(large); i += 1000) large[i] = 1;
    for (size_t i = 0; i < sizeof(large); i += 1000) sum += static_cast<uint64_t>(large[i]);
  });
  fibers_.run(piece);
  EXPECT_EQ(sum, 100U);
}

// Waits with each line for somebody to wake it, and then answers with its seat and the line.
class PatientEcho final : public Session {
 public:
  explicit PatientEcho(Fibers& fibers, Loop& loop) : fibers_(fibers), loop_(loop) {}
  Consumed on_bytes(std::string_view bytes, Turn turn) override {
    Consumed consumed;
    for (size_t end = 0; (end = bytes.find('\n', consumed.bytes)) != std::string_view::npos;) {
      const std::string_view line = bytes.substr(consumed.bytes, end + 1 - consumed.bytes);
      consumed.bytes = end + 1;
      loop_.post([this, fiber = fibers_.current()] { fibers_.wake(*fiber); });
      fibers_.wait();
      turn.output.append(line);
    }
    return consumed;
  }

 private:
  Fibers& fibers_;
  Loop& loop_;
};

class PatientEchoMaker final : public SessionMaker, public Resident {
 public:
  PatientEchoMaker(Loop& loop, Fibers& fibers) : fibers_(fibers), loop_(loop) {}
  std::unique_ptr<Session> make(const Peer&) override { return std::make_unique<PatientEcho>(fibers_, loop_); }
  void arrive() override {}
  void leave() override {}

 private:
  Fibers& fibers_;
  Loop& loop_;
};

struct PatientServer {
  PatientServer() {
    server.house([this](size_t, Loop& loop, Fibers& fibers) {
      its_loop = &loop;
      its_fibers = &fibers;
      return std::make_unique<PatientEchoMaker>(loop, fibers);
    });
    server.add({{{}, cap, traffic, nullptr}, {{"127.0.0.1", 0, ""}}, {}, [this](size_t) {
                  return std::make_unique<PatientEchoMaker>(*its_loop, *its_fibers);
                }});
    EXPECT_EQ(server.start(), "");
  }
  uint16_t port() const { return server.endpoints(0)[0].port; }

  ConnectionCap cap{1000};
  Traffic traffic;
  Loop* its_loop = nullptr;
  Fibers* its_fibers = nullptr;
  Server server{1};
};

TEST(SpeakingOnFibers, ManyConnectionsWaitAtTheSameTime) {
  PatientServer patient;
  std::vector<Descriptor> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(connect_to(patient.port()));
    say(clients.back(), "one\ntwo " + std::to_string(i) + "\nthr");
  }
  for (int i = 0; i < 200; ++i) {
    const std::string expected = "one\ntwo " + std::to_string(i) + "\n";
    EXPECT_EQ(receive(clients[i], expected.size()), expected);
    say(clients[i], "ee\n");
    EXPECT_EQ(receive(clients[i], 6), "three\n");
  }
}

TEST(SpeakingOnFibers, AClientThatGoesWhileItIsWaitedForHarmsNobody) {
  PatientServer patient;
  for (int i = 0; i < 200; ++i) {
    const Descriptor gone = connect_to(patient.port());
    const linger at_once{1, 0};
    setsockopt(gone.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    say(gone, "one\ntwo\n");
  }
  const Descriptor client = connect_to(patient.port());
  say(client, "still here\n");
  EXPECT_EQ(receive(client, 11), "still here\n");
  EXPECT_TRUE(patient.server.drain(5'000));
}

TEST(SpeakingOnFibers, ADrainLetsThemEnd) {
  PatientServer patient;
  const Descriptor client = connect_to(patient.port());
  say(client, "one\n");
  EXPECT_EQ(receive(client, 4), "one\n");
  EXPECT_TRUE(patient.server.drain(5'000));
}

}  // namespace
}  // namespace sluice::net
