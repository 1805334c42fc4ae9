// What all connections of one event loop share: who decides, what time it is, and memory for one request at a time.
// Used by one thread. A session may use it only within one on_bytes(): the next to be called uses it too.
#pragma once

#include "doors/headers.h"
#include "doors/loop_figures.h"
#include "doors/time_source.h"
#include "limiter/worker.h"

namespace sluice::doors {

struct Desk {
  // Both must outlive it.
  Desk(limiter::Limiter& limiter, TimeSource& time_source) : worker(limiter), time(time_source) {}

  // Tells whose turn it was, for those who are shown the hottest keys: the tightest bucket's.
  void note(const limiter::Answer& answer) {
    if (answer.tightest != nullptr) figures.keys.add(answer.tightest->key, !answer.allowed);
  }

  limiter::Worker worker;
  TimeSource& time;
  limiter::PlainCheck check;
  HeaderFields headers;
  LoopFigures figures;
};

}  // namespace sluice::doors
