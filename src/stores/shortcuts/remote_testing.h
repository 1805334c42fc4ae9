// For tests: a store across a network. It answers later, in any order, twice as late as it decides, or not at all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/clock.h"
#include "stores/memory/memory_store.h"
#include "stores/store.h"

namespace sluice::shortcuts {

// What each bucket of a store has given, as Redis counts it.
using Given = std::map<std::string, int64_t, std::less<>>;

// Decides on the memory store, by its own clock. Undoes takes as the script does (src/stores/redis/rate.lua).
class RemoteStore final : public stores::Store {
 public:
  RemoteStore(memory::MemoryStore& memory, Clock& clock, std::shared_ptr<Given> given = std::make_shared<Given>())
      : memory_(memory), clock_(clock), given_(std::move(given)) {}

  stores::Progress ask(stores::Ask& ask) override {
    ++asked;
    last_takes.assign(ask.takes.begin(), ask.takes.end());
    last_action = ask.action;
    since_ns.push_back(ask.since_ns);
    if (is_down) return stores::Progress::kUnavailable;
    waiting_.push_back({&ask, false, {}, clock_.now()});
    if (!is_prompt) return stores::Progress::kPending;
    execute(waiting_.size() - 1);
    waiting_.pop_back();
    return stores::Progress::kAnswered;
  }

  size_t waiting() const { return waiting_.size(); }
  const stores::Ask& waiting_at(size_t i) const { return *waiting_[i].ask; }
  bool is_decided(size_t i) const { return waiting_[i].is_decided; }
  Instant asked_at(size_t i) const { return waiting_[i].asked_at; }
  // The question arrives and is decided; nobody is told yet.
  void execute(size_t i) {
    Waiting& waiting = waiting_[i];
    if (std::exchange(waiting.is_decided, true)) return;
    waiting.ask->now = decided_at = waiting.decided_at = clock_.now();
    decide(*waiting.ask);
  }
  void reply(size_t i = 0) {
    execute(i);
    tell(i, stores::Progress::kAnswered);
  }
  // The question, or its answer, gets lost.
  void lose(size_t i = 0) { tell(i, stores::Progress::kUnavailable); }
  // Nobody will ever be told.
  void forget() { waiting_.clear(); }

  bool is_prompt = false;
  bool is_down = false;
  size_t asked = 0;
  std::vector<Take> last_takes;
  stores::Action last_action{};
  std::vector<int64_t> since_ns;  // of all asked
  Instant decided_at;             // what was told last, or answered at once

 private:
  struct Waiting {
    stores::Ask* ask;
    bool is_decided;
    Instant decided_at;
    Instant asked_at;
  };

  void decide(stores::Ask& ask) {
    if (ask.action == stores::Action::kRefund && !ask.decided.empty()) return undo(ask);
    memory_.ask(ask);
    if (ask.action != stores::Action::kTake) return;
    bool passes = true;
    for (size_t i = 0; i < ask.together; ++i) passes &= ask.results[i].decision.allowed();
    for (size_t i = 0; i < ask.takes.size(); ++i) {
      int64_t& given = (*given_)[std::string(ask.takes[i].key)];
      if (passes && ask.results[i].decision.allowed()) given += ask.takes[i].cost.micros();
      if (!ask.decided.empty()) ask.decided[i] = {clock_.now().ns / 1000, given};
    }
  }

  void undo(const stores::Ask& ask) {
    for (size_t i = 0; i < ask.takes.size(); ++i) {
      Take take = ask.takes[i];
      const Tokens left = memory_.peek({{{take}}}, clock_.now()).remaining;
      const int64_t spent = take.limit->capacity().micros() - left.micros() - 1;
      const int64_t given_since = (*given_)[std::string(take.key)] - ask.decided[i].given;
      const int64_t owed = given_since == 0 ? take.cost.micros() : std::min(take.cost.micros(), spent - given_since);
      take.cost = Tokens::micros(std::max<int64_t>(0, owed));
      if (owed > 0) memory_.refund(take, clock_.now());
    }
  }

  void tell(size_t i, stores::Progress progress) {
    const Waiting waiting = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    decided_at = waiting.decided_at;
    waiting.ask->listener->on_answer(progress);
  }

  memory::MemoryStore& memory_;
  Clock& clock_;
  std::shared_ptr<Given> given_;
  std::deque<Waiting> waiting_;
};

// One request with all its memory; asked once.
class Question final : public stores::Listener {
 public:
  Question(stores::Action action, std::vector<Take> takes, size_t together, std::vector<stores::LeaseTerms> leases = {})
      : takes_(std::move(takes)), leases_(std::move(leases)), results(takes_.size()) {
    ask = {action, takes_, together, Instant(), results, this, leases_, 0};
  }
  explicit Question(const Take& take) : Question(stores::Action::kTake, {take}, 1) {}
  Question(const Take& take, const stores::LeaseTerms& terms) : Question(stores::Action::kTake, {take}, 1, {terms}) {}
  Question(const Question&) = delete;

  Question& to(stores::Store& store) {
    progress = store.ask(ask);
    return *this;
  }
  void on_answer(stores::Progress with) override {
    progress = with;
    ++answers;
  }

  bool is_answered() const { return progress == stores::Progress::kAnswered; }
  bool is_rejected() const { return is_answered() && !allowed(); }
  bool is_admitted() const { return is_answered() && allowed(); }
  const Decision& decision(size_t i = 0) const { return results[i].decision; }

 private:
  bool allowed() const {
    for (size_t i = 0; i < ask.together; ++i) {
      if ((ask.not_asked >> i & 1) != 0 || !results[i].decision.allowed()) return false;
    }
    return true;
  }

  std::vector<Take> takes_;
  std::vector<stores::LeaseTerms> leases_;

 public:
  std::vector<stores::BucketResult> results;
  stores::Ask ask;
  stores::Progress progress = stores::Progress::kPending;
  int answers = 0;
};

inline std::unique_ptr<memory::MemoryStore> small_memory() {
  return std::move(*memory::MemoryStore::create({uint64_t{1} << 20, false}));
}

}  // namespace sluice::shortcuts
