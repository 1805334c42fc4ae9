// Tokens on their way back to the store, many buckets in one question. Their takes are undone: however late that
// arrives, a bucket gets no more back than if it had never given them. What does not arrive is lost. For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "sluice/clock.h"
#include "sluice/limit.h"
#include "sluice/take.h"
#include "stores/shortcuts/pool.h"
#include "stores/store.h"
#include "telemetry/counter.h"

namespace sluice::shortcuts {

// In millionths of a token. For any thread.
struct LeaseCounts {
  telemetry::Counter granted;     // taken in advance
  telemetry::Counter spent;       // of these, by requests that were answered here
  telemetry::Counter given_back;  // arrived at the store
  telemetry::Counter lost;        // neither: what was dropped, or is not known to have arrived

  // Here, or on its way back.
  uint64_t outstanding() const {
    const uint64_t gone = spent.value() + given_back.value() + lost.value();
    const uint64_t all = granted.value();
    return all > gone ? all - gone : 0;
  }
};

class LeaseReturns {
 public:
  LeaseReturns(stores::Store& next, Clock& clock, LeaseCounts& counts)
      : next_(next), clock_(clock), counts_(counts), batches_(kBatches) {}

  // Whether give_back() would lose nothing for want of room.
  bool has_room() const { return open_ != nullptr || batches_.has_room(); }
  // Copies what it needs. Is sent with the next send(), or when a question is full.
  void give_back(const Take& take, const stores::Decided& decided);
  void send();
  bool is_under_way() const { return batches_.lent() > 0; }

 private:
  static constexpr size_t kBatches = 64;

  struct Batch final : stores::Listener {
    void on_answer(stores::Progress progress) override { owner->conclude(*this, progress); }

    LeaseReturns* owner = nullptr;
    size_t count = 0;
    Tokens sum;
    std::array<std::string, stores::Store::kMaxTakes> keys;
    std::array<Limit, stores::Store::kMaxTakes> limits;
    std::array<Take, stores::Store::kMaxTakes> takes;
    std::array<stores::Decided, stores::Store::kMaxTakes> decided;
    stores::Ask ask;
  };

  void conclude(Batch& batch, stores::Progress progress);

  stores::Store& next_;
  Clock& clock_;
  LeaseCounts& counts_;
  Pool<Batch> batches_;
  Batch* open_ = nullptr;
};

}  // namespace sluice::shortcuts
