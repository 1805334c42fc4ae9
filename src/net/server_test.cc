#include "net/server.h"

#include <gmock/gmock.h>

#include <set>

#include "net/serving_testing.h"

namespace sluice::net {
namespace {

using ::testing::HasSubstr;

// Answers with the number of its loop.
class LoopTeller final : public Session {
 public:
  explicit LoopTeller(size_t loop) : loop_(loop) {}
  Consumed on_bytes(std::string_view bytes, Turn turn) override {
    turn.output.append(std::to_string(loop_));
    return {bytes.size(), Next::kRead};
  }

 private:
  const size_t loop_;
};

class LoopTellerMaker final : public SessionMaker {
 public:
  explicit LoopTellerMaker(size_t loop) : loop_(loop) {}
  std::unique_ptr<Session> make(const Peer&) override { return std::make_unique<LoopTeller>(loop_); }

 private:
  const size_t loop_;
};

struct TwoLoops {
  explicit TwoLoops(std::vector<Endpoint> endpoints, std::vector<Descriptor> adopted = {}) {
    server.add({{{}, cap, traffic, nullptr}, std::move(endpoints), std::move(adopted), [](size_t loop) {
                  return std::make_unique<LoopTellerMaker>(loop);
                }});
  }
  // The loops that answer a hundred connections.
  std::set<std::string> loops_that_answer(uint16_t port) const {
    std::set<std::string> loops;
    std::vector<Descriptor> clients;
    for (int i = 0; i < 100; ++i) {
      clients.push_back(connect_to(port));
      say(clients.back(), "?");
      loops.insert(receive(clients.back(), 1));
    }
    return loops;
  }

  ConnectionCap cap{1000};
  Traffic traffic;
  Server server{2};
};

TEST(Server, SpreadsConnectionsOverItsLoops) {
  TwoLoops two({{"127.0.0.1", 0, ""}});
  ASSERT_EQ(two.server.start(), "");
  EXPECT_EQ(two.loops_that_answer(two.server.endpoints(0)[0].port), (std::set<std::string>{"0", "1"}));
}

TEST(Server, ServesASocketThatWasHandedOver) {
  std::vector<Descriptor> adopted;
  adopted.push_back(std::move(std::get<Descriptor>(listen_on({"127.0.0.1", 0, ""}))));
  const uint16_t port = bound_to(adopted[0].get()).port;
  TwoLoops two({}, std::move(adopted));
  ASSERT_EQ(two.server.start(), "");
  EXPECT_FALSE(two.loops_that_answer(port).contains(""));
}

TEST(Server, ABusyPortIsToldAndNothingListensThen) {
  TwoLoops first({{"127.0.0.1", 0, ""}});
  ASSERT_EQ(first.server.start(), "");
  TwoLoops second({first.server.endpoints(0)[0]});
  EXPECT_THAT(second.server.start(), HasSubstr("another program listens there"));
}

TEST(Server, DrainsWithinItsPatience) {
  TwoLoops two({{"127.0.0.1", 0, ""}});
  ASSERT_EQ(two.server.start(), "");
  const Descriptor client = connect_to(two.server.endpoints(0)[0].port);
  say(client, "?");
  receive(client, 1);
  EXPECT_TRUE(two.server.drain(2'000));
  EXPECT_TRUE(is_closed(client));
  two.server.stop();
}

}  // namespace
}  // namespace sluice::net
