#include "stores/redis/patient_store.h"

namespace sluice::redis_store {
namespace {

using stores::Progress;

class Wait final : public stores::Listener {
 public:
  explicit Wait(net::Fibers& fibers) : fibers_(fibers), fiber_(*fibers.current()) {}

  Progress until_told() {
    is_waiting_ = progress_ == Progress::kPending;
    if (is_waiting_) fibers_.wait();
    return progress_ == Progress::kPending ? Progress::kUnavailable : progress_;
  }

 private:
  void on_answer(Progress progress) override {
    progress_ = progress;
    if (is_waiting_) fibers_.wake(fiber_);
  }

  net::Fibers& fibers_;
  net::Fiber& fiber_;
  Progress progress_ = Progress::kPending;
  bool is_waiting_ = false;
};

}  // namespace

Progress PatientStore::ask(stores::Ask& ask) {
  if (next_ == nullptr) return Progress::kUnavailable;
  Wait wait(*fibers_);
  stores::Listener* const listener = ask.listener;
  ask.listener = &wait;
  Progress progress = next_->ask(ask);
  if (progress == Progress::kPending) progress = wait.until_told();
  ask.listener = listener;
  return progress;
}

}  // namespace sluice::redis_store
