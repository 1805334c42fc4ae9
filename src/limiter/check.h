// One request on its way through the limiter: its memory, and in the end its answer. Reused for one request after
// another it allocates nothing. Not thread-safe; must stay where it is while a request is under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "limiter/active_rules.h"
#include "limiter/answer.h"
#include "rules/evaluation.h"
#include "rules/request.h"
#include "sluice/take.h"
#include "stores/store.h"

namespace sluice::limiter {

class Worker;

// No store needs to be asked about it.
inline bool can_never_pass(const Take& take) { return take.cost > take.limit->capacity(); }

class Check : private stores::Listener {
 public:
  Check() = default;
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // Valid until this check's next request or, where the answer did not come later, its worker's.
  const Answer& answer() const { return answer_; }
  // Who asked, as the rules see it; all empty for a bucket beside them. REQUIRES: the request is still there.
  rules::Origin origin() { return is_named_ ? rules::Origin() : evaluation_.origin(); }

 protected:
  ~Check() = default;

 private:
  friend class Worker;

  // An answer that came later is there. On the thread that asked.
  virtual void on_answer() = 0;
  void on_answer(stores::Progress progress) final;

  void refuse(Reason reason, const rules::Application& by);
  void refuse_killed(const rules::KillSwitch& by);
  // If one of the enforced takes can never pass.
  bool refuse_impossible();

  static constexpr size_t kMaxTakes = stores::Store::kMaxTakes;

  std::span<const rules::Application> applied() const {
    return is_named_ ? std::span<const rules::Application>() : evaluation_.applied();
  }

  Answer answer_;
  bool is_named_ = false;  // one bucket beside the rules
  rules::Evaluation evaluation_;
  rules::Now now_;
  stores::Ask ask_;
  size_t count_ = 0;
  std::array<Take, kMaxTakes> takes_;
  std::array<uint32_t, kMaxTakes> application_of_{};  // of each take: which of the evaluation's
  std::array<stores::LeaseTerms, kMaxTakes> leases_;  // of each take, where a rule has any
  std::array<stores::BucketResult, kMaxTakes> results_;
  std::array<BucketAnswer, kMaxTakes> buckets_;

  // While the store is asked.
  Worker* worker_ = nullptr;
  std::shared_ptr<const ActiveRules> rules_;
};

// For a store that answers at once, or whoever looks later.
class PlainCheck final : public Check {
  void on_answer() override {}
};

}  // namespace sluice::limiter
