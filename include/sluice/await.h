// Waiting for admission in a coroutine, on any executor:
//
//   const sluice::Decision decision = co_await sluice::admission(timer, [&] { return bucket.take(); });
//
// `timer` is yours: timer.call_after(duration, callback) runs the callback once, later, on whatever thread you choose.
// Nothing here sleeps, and nobody waits in line: of several waiting for one bucket, who comes first is up to the timer.
#pragma once

#include <coroutine>
#include <utility>

#include "sluice/decision.h"

namespace sluice {

// Asks until the answer is no more "not now": the awaited value is allowed, or says that the cost can never pass.
// The awaiting coroutine must not be destroyed while its timer is set.
template <class Timer, class Take>
class Admission {
 public:
  Admission(Timer& timer, Take take) : timer_(timer), take_(std::move(take)) {}

  bool await_ready() { return ask(); }
  void await_suspend(std::coroutine_handle<> waiting) { ask_later(waiting); }
  Decision await_resume() const { return decision_; }

 private:
  bool ask() {
    decision_ = take_();
    return decision_.verdict != Verdict::kLimited;
  }
  void ask_later(std::coroutine_handle<> waiting) {
    timer_.call_after(decision_.retry_after, [this, waiting] {
      if (ask()) {
        waiting.resume();
      } else {
        ask_later(waiting);
      }
    });
  }

  Timer& timer_;
  Take take_;
  Decision decision_;
};

template <class Timer, class Take>
Admission<Timer, Take> admission(Timer& timer, Take take) {
  return {timer, std::move(take)};
}

}  // namespace sluice
