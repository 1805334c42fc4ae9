// Takes that are answered without asking the store: rejected by the deny cache, or admitted from a lease.
// `asked` counts the questions that reached the store behind; hits must cost none.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sluice/clock.h"
#include "stores/shortcuts/deny_cache.h"
#include "stores/shortcuts/leases.h"

namespace sluice::bench {
namespace {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using stores::LeaseTerms;
using stores::Progress;

// Answers all takes the same.
class FixedStore final : public stores::Store {
 public:
  explicit FixedStore(const BucketResult& result) : result_(result) {}

  Progress ask(Ask& ask) override {
    ++asked;
    if (ask.action == Action::kTake) {
      for (BucketResult& result : ask.results) result = result_;
    }
    return Progress::kAnswered;
  }

  uint64_t asked = 0;

 private:
  const BucketResult result_;
};

class Keys {
 public:
  explicit Keys(size_t count) {
    for (size_t i = 0; i < count; ++i) keys_.push_back("user:" + std::to_string(1'000'000 + i * 7919));
  }
  const std::string& next() {
    at_ = at_ + 1 == keys_.size() ? 0 : at_ + 1;
    return keys_[at_];
  }
  size_t size() const { return keys_.size(); }

 private:
  std::vector<std::string> keys_;
  size_t at_ = 0;
};

const Limit& limit() {
  static const Limit limit = *Limit::token_bucket(0.001, 1'000'000'000);
  return limit;
}

void run(benchmark::State& state, stores::Store& store, const FixedStore& behind, const LeaseTerms& terms) {
  Keys keys(static_cast<size_t>(state.range(0)));
  Take take{"", &limit()};
  BucketResult result;
  Ask ask{Action::kTake, {&take, 1}, 1, {}, {&result, 1}, nullptr, {&terms, 1}, 0};
  const auto ask_next = [&] {
    take.key = keys.next();
    benchmark::DoNotOptimize(store.ask(ask));
  };
  for (size_t i = 0; i < keys.size(); ++i) ask_next();
  const uint64_t before = behind.asked;
  for (auto _ : state) ask_next();
  state.counters["asked"] = static_cast<double>(behind.asked - before);
}

void denied_take(benchmark::State& state) {
  FixedStore behind({{Verdict::kLimited, {}, Duration::seconds(3600), {}, 0}, Duration::seconds(7200)});
  shortcuts::DenyCache cache(behind, system_clock());
  run(state, cache, behind, {});
}

void leased_take(benchmark::State& state) {
  FixedStore behind({{Verdict::kAllowed, Tokens::whole(1'000'000), {}, {}, 0}, Duration::seconds(1)});
  shortcuts::Leases leases(behind, system_clock());
  run(state, leases, behind, {LeaseTerms::Kind::kFixed, Tokens::whole(900'000'000), Duration::seconds(3600)});
}

// As a server has them: the deny cache in front.
void leased_take_behind_the_deny_cache(benchmark::State& state) {
  FixedStore behind({{Verdict::kAllowed, Tokens::whole(1'000'000), {}, {}, 0}, Duration::seconds(1)});
  shortcuts::Leases leases(behind, system_clock());
  shortcuts::DenyCache cache(leases, system_clock());
  run(state, cache, behind, {LeaseTerms::Kind::kFixed, Tokens::whole(900'000'000), Duration::seconds(3600)});
}

// What both cost a take that the store must be asked about.
void asked_take_behind_both(benchmark::State& state) {
  FixedStore behind({{Verdict::kAllowed, Tokens::whole(2), {}, {}, 0}, Duration::seconds(1)});
  shortcuts::Leases leases(behind, system_clock());
  shortcuts::DenyCache cache(leases, system_clock());
  run(state, cache, behind, {LeaseTerms::Kind::kAuto, {}, {}});
}

BENCHMARK(denied_take)->Arg(1)->Arg(1000)->Arg(20'000);
BENCHMARK(leased_take)->Arg(1)->Arg(1000)->Arg(5'000);
BENCHMARK(leased_take_behind_the_deny_cache)->Arg(1000);
BENCHMARK(asked_take_behind_both)->Arg(1000);

}  // namespace
}  // namespace sluice::bench
