#include "stores/redis/posted_store.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace sluice::redis_store {
namespace {

using stores::Progress;

constexpr std::chrono::seconds kPatience{1};

// A copy of what is asked: whoever asked may have gone when it is answered.
class Errand final : public stores::Listener {
 public:
  explicit Errand(const stores::Ask& ask) : takes_(ask.takes.begin(), ask.takes.end()), results_(takes_.size()) {
    keys_.reserve(takes_.size());
    limits_.reserve(takes_.size());
    for (Take& take : takes_) {
      take.key = keys_.emplace_back(take.key);
      take.limit = &limits_.emplace_back(*take.limit);
    }
    ask_ = {ask.action, takes_, ask.together, ask.now, results_, this};
  }

  // On the loop's thread. Keeps itself until it is answered.
  static void run(const std::shared_ptr<Errand>& errand, stores::Store& store) {
    errand->self_ = errand;
    const Progress progress = store.ask(errand->ask_);
    if (progress != Progress::kPending) errand->on_answer(progress);
  }

  std::future<Progress> answer() { return answer_.get_future(); }
  const std::vector<stores::BucketResult>& results() const { return results_; }
  uint32_t not_asked() const { return ask_.not_asked; }

 private:
  void on_answer(Progress progress) override {
    const std::shared_ptr<Errand> self = std::move(self_);
    answer_.set_value(progress);
  }

  std::vector<Take> takes_;
  std::vector<stores::BucketResult> results_;
  std::vector<std::string> keys_;
  std::vector<Limit> limits_;
  stores::Ask ask_;
  std::promise<Progress> answer_;
  std::shared_ptr<Errand> self_;
};

}  // namespace

Progress PostedStore::ask(stores::Ask& ask) {
  if (next_ == nullptr) return Progress::kUnavailable;
  const auto errand = std::make_shared<Errand>(ask);
  std::future<Progress> answer = errand->answer();
  if (!post_([errand, next = next_] { Errand::run(errand, *next); })) return Progress::kUnavailable;
  if (answer.wait_for(kPatience) != std::future_status::ready) return Progress::kUnavailable;
  const Progress progress = answer.get();
  if (progress != Progress::kAnswered) return progress;
  for (size_t i = 0; i < ask.results.size() && i < errand->results().size(); ++i) {
    ask.results[i] = errand->results()[i];
  }
  ask.not_asked = errand->not_asked();
  return progress;
}

}  // namespace sluice::redis_store
