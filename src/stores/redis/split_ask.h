// A request whose buckets a Cluster keeps in several slots, each of which has a script call of its own: all are asked
// at once, and where one refuses, what the others gave is undone (docs/decisions/0020-undone-not-refunded.md). Others
// may be refused meanwhile that would have passed. Of a bucket that is given back, reset_after is that of before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sluice/take.h"
#include "stores/store.h"

namespace sluice::redis_store {

class SplitAsk;

class PartSender {
 public:
  // Sends a part, all buckets of which are in this slot; what it points to need not outlive the call. Its listener is
  // told later, its time counts from then.
  virtual void send_part(stores::Ask& part, uint16_t slot, int64_t since_ns) = 0;
  // It and its parts are free.
  virtual void on_done(SplitAsk& split) = 0;

 protected:
  ~PartSender() = default;
};

class SplitAsk {
 public:
  explicit SplitAsk(PartSender& sender) : sender_(sender) {}
  SplitAsk(const SplitAsk&) = delete;
  SplitAsk& operator=(const SplitAsk&) = delete;

  // `slots` has one for each take. The ask's listener is told later; its time counts from `since_ns`.
  void start(stores::Ask& ask, std::span<const uint16_t> slots, int64_t since_ns);

 private:
  static constexpr size_t kMaxTakes = stores::Store::kMaxTakes;

  // The takes of one slot: so many of takes_, from `first` on.
  struct Part final : stores::Listener {
    void on_answer(stores::Progress its_progress) override {
      progress = its_progress;
      split->on_part();
    }

    SplitAsk* split = nullptr;
    uint16_t slot = 0;
    size_t first = 0;
    size_t count = 0;
    stores::Progress progress = stores::Progress::kPending;
    stores::Ask ask;
  };

  enum class Phase : uint8_t { kTogether, kBehind, kGivingBack };

  bool decides() const { return ask_->action == stores::Action::kTake || ask_->action == stores::Action::kPeek; }
  std::span<Part> parts() { return {parts_.data(), part_count_}; }
  void gather(size_t first, size_t end);
  void send(stores::Action action, bool together);
  void on_part();
  void finish_phase();
  void finish_together();
  void finish_behind();
  void take_those_behind();
  void give_back();
  void tell_what_is_there(const Part& part);
  void tell(stores::Progress progress);
  void copy_results();
  bool all_answered();
  bool has_passed(const Part& part) const;

  PartSender& sender_;
  stores::Ask* ask_ = nullptr;
  std::span<const uint16_t> slots_;
  std::array<uint16_t, kMaxTakes> kept_slots_{};
  Phase phase_ = Phase::kTogether;
  int64_t since_ns_ = 0;
  size_t waiting_ = 0;
  // Takes by part, where each stands in the ask, and what became of it.
  std::array<Take, kMaxTakes> takes_;
  std::array<uint8_t, kMaxTakes> places_{};
  std::array<stores::BucketResult, kMaxTakes> results_;
  std::array<stores::Decided, kMaxTakes> decided_;
  size_t part_count_ = 0;
  std::array<Part, kMaxTakes> parts_;
};

}  // namespace sluice::redis_store
