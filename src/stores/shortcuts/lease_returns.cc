#include "stores/shortcuts/lease_returns.h"

#include <utility>

namespace sluice::shortcuts {

using stores::Action;
using stores::Progress;

void LeaseReturns::give_back(const Take& take, const stores::Decided& decided) {
  if (open_ == nullptr) open_ = batches_.get();
  if (open_ == nullptr) return counts_.lost.add(static_cast<uint64_t>(take.cost.micros()));
  const size_t i = open_->count++;
  open_->keys[i].assign(take.key);
  open_->limits[i] = *take.limit;
  open_->takes[i] = {open_->keys[i], &open_->limits[i], take.cost, take.part};
  open_->decided[i] = decided;
  open_->sum = open_->sum + take.cost;
  if (open_->count == open_->takes.size()) send();
}

void LeaseReturns::send() {
  if (open_ == nullptr) return;
  Batch& batch = *std::exchange(open_, nullptr);
  batch.owner = this;
  batch.ask = {Action::kRefund, {batch.takes.data(), batch.count}, batch.count, clock_.now(), {}, &batch, {}, 0, true};
  batch.ask.decided = {batch.decided.data(), batch.count};
  const Progress progress = next_.ask(batch.ask);
  if (progress != Progress::kPending) conclude(batch, progress);
}

void LeaseReturns::conclude(Batch& batch, Progress progress) {
  telemetry::Counter& count = progress == Progress::kAnswered ? counts_.given_back : counts_.lost;
  count.add(static_cast<uint64_t>(batch.sum.micros()));
  batch.count = 0;
  batch.sum = Tokens();
  batches_.put(&batch);
}

}  // namespace sluice::shortcuts
