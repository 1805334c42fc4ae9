// Over random schedules of servers that die, answers and give-backs that are late or lost: what is admitted was
// granted, and in any interval it is at most capacity + rate x (length + ttl).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "stores/shortcuts/leases.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;

// An answer that comes later than this is one that is lost.
constexpr Duration kTimeout = Duration::millis(20);
constexpr size_t kServers = 4;

// A request that notes when it was admitted.
class Noted final : public stores::Listener {
 public:
  Noted(std::vector<Take> takes, std::vector<LeaseTerms> terms, RemoteStore& remote)
      : question(Action::kTake, std::move(takes), terms.size(), terms), remote_(remote) {
    question.ask.listener = this;
  }
  void on_answer(stores::Progress progress) override {
    question.progress = progress;
    at = remote_.decided_at;
  }

  Question question;
  Instant at;

 private:
  RemoteStore& remote_;
};

class Schedule {
 public:
  explicit Schedule(uint64_t seed) : random_(seed) {
    const double rates[] = {2, 60, 1500};
    const double capacities[] = {20, 150, 1000};
    limit_ = *Limit::token_bucket(rates[below(3)], capacities[below(3)]);
    ttl_ = Duration::millis(chance(50) ? 60 : 500);
    for (Server& server : servers_) start(server);
  }

  void run() {
    for (int step = 0; step < 1200; ++step) {
      pass_time();
      Server& server = servers_[below(kServers)];
      const size_t choice = below(100);
      if (choice < 50) {
        for (size_t i = below(6) + 1; i > 0; --i) ask(server);
      } else if (choice < 98) {
        for (size_t i = below(10) + 1; i > 0; --i) let_something_arrive(server);
      } else if (chance(30)) {
        end(server);
        start(server);
      }
      collect();
    }
    for (Server& server : servers_) end(server);
  }

  void check() const {
    auto admitted = admitted_;
    std::sort(admitted.begin(), admitted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const double capacity = limit_.capacity().as_double();
    const double rate = limit_.rate().as_double();
    std::vector<double> sums{0};
    for (const auto& [at, cost] : admitted) sums.push_back(sums.back() + cost.as_double());
    for (size_t j = 0; j < admitted.size(); ++j) {
      const double time = static_cast<double>((admitted[j].first - start_).ns) * 1e-9;
      ASSERT_LE(sums[j + 1], capacity + rate * time + 1e-6) << "more than was granted";
      for (size_t i = 0; i <= j; ++i) {
        const Duration length = admitted[j].first - admitted[i].first;
        const double seconds = static_cast<double>(length.ns + ttl_.ns) * 1e-9;
        ASSERT_LE(sums[j + 1] - sums[i], capacity + rate * seconds + 1e-6) << "too much in " << length.ns << " ns";
      }
    }
  }

  uint64_t spent() const { return spent_; }

 private:
  struct Server {
    std::unique_ptr<RemoteStore> remote;
    std::unique_ptr<Leases> leases;
    std::list<Noted> notes;
    LeaseTerms terms;
  };

  size_t below(size_t n) { return random_() % n; }
  bool chance(size_t percent) { return below(100) < percent; }

  void start(Server& server) {
    server.remote = std::make_unique<RemoteStore>(*memory_, clock_, given_);
    server.leases = std::make_unique<Leases>(*server.remote, clock_, LeaseOptions{64, 16, ttl_});
    const int64_t tokens[] = {3, 12, 60};
    server.terms = chance(30) ? LeaseTerms{LeaseTerms::Kind::kAuto, {}, {}}
                              : LeaseTerms{LeaseTerms::Kind::kFixed, Tokens::whole(tokens[below(3)]), ttl_};
  }

  // With its credit and all that was under way.
  void end(Server& server) {
    spent_ += server.leases->counts().spent.value();
    server.remote->forget();
    server.leases.reset();
    server.notes.clear();
  }

  // Mostly little, so that questions are under way; now and then much, with everything decided before.
  void pass_time() {
    if (chance(95)) {
      clock_.advance(Duration::micros(static_cast<int64_t>(below(3000))));
    } else {
      decide_all(clock_.now());
      clock_.advance(Duration::millis(static_cast<int64_t>(below(1000))));
    }
    decide_all(Instant(clock_.now().ns - kTimeout.ns + Duration::millis(3).ns));
    for (Server& server : servers_) {
      if (chance(50)) server.leases->sweep();
    }
  }

  // What was asked by then arrives, however late its answer may be.
  void decide_all(Instant until) {
    for (Server& server : servers_) {
      for (size_t i = 0; i < server.remote->waiting(); ++i) {
        const bool may_be_late = server.remote->waiting_at(i).action == Action::kRefund;
        if (server.remote->asked_at(i) <= until && !may_be_late) server.remote->execute(i);
      }
    }
  }

  void ask(Server& server) {
    const Tokens cost = Tokens::micros(static_cast<int64_t>(below(4) + 1) * 500'000);
    std::vector<Take> takes{{"hot", &limit_, cost}};
    std::vector<LeaseTerms> terms{server.terms};
    if (chance(30)) {
      takes.push_back({"exact", &other_});
      terms.push_back({});
    }
    Noted& note = server.notes.emplace_back(takes, terms, *server.remote);
    note.at = clock_.now();
    note.question.to(*server.leases);
  }

  void let_something_arrive(Server& server) {
    if (server.remote->waiting() == 0) return;
    const size_t i = below(server.remote->waiting());
    const size_t how = below(20);
    if (how > 0) server.remote->execute(i);
    if (how < 14) how < 2 ? server.remote->lose(i) : server.remote->reply(i);
  }

  void collect() {
    for (Server& server : servers_) {
      std::erase_if(server.notes, [&](const Noted& note) {
        if (note.question.progress == stores::Progress::kPending) return false;
        if (note.question.is_admitted()) admitted_.emplace_back(note.at, note.question.ask.takes[0].cost);
        return true;
      });
    }
  }

  std::mt19937_64 random_;
  Limit limit_;
  const Limit other_ = *Limit::token_bucket(500, 40);
  Duration ttl_;
  ManualClock clock_{Instant(1'000'000'000)};
  const Instant start_ = clock_.now();
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
  std::array<Server, kServers> servers_;
  std::vector<std::pair<Instant, Tokens>> admitted_;
  uint64_t spent_ = 0;
};

TEST(LeasesProperty, AdmitNoMoreThanWasGrantedAndNoMoreThanTheirBoundInAnyInterval) {
  uint64_t spent = 0;
  for (uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Schedule schedule(seed);
    schedule.run();
    schedule.check();
    spent += schedule.spent();
  }
  EXPECT_GT(spent, uint64_t{5'000} * 1'000'000);
}

}  // namespace
}  // namespace sluice::shortcuts
