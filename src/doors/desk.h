// What all connections of one event loop share: who decides, what time it is, and memory for one request at a time.
// Used by one thread. A session may use it only within one on_bytes(): the next to be called uses it too.
#pragma once

#include "doors/headers.h"
#include "doors/loop_figures.h"
#include "doors/rejections.h"
#include "doors/time_source.h"
#include "limiter/worker.h"

namespace sluice::doors {

struct Desk {
  // All must outlive it. No ledger: rejections are not recorded.
  Desk(limiter::Limiter& limiter, TimeSource& time_source, audit::Ledger* ledger = nullptr)
      : worker(limiter), time(time_source), rejections(ledger) {}

  // Tells of what `check` has just taken, or was refused: whose turn it was (the tightest bucket's), for those who are
  // shown the hottest keys, and who was rejected. The request must still be there.
  void note_check() {
    const limiter::Answer& answer = check.answer();
    if (answer.tightest != nullptr) figures.keys.add(answer.tightest->key, !answer.allowed);
    if (rejections.are_in(answer)) rejections.note(check, time.since_epoch());
  }

  limiter::Worker worker;
  TimeSource& time;
  limiter::PlainCheck check;
  HeaderFields headers;
  LoopFigures figures;
  Rejections rejections;
};

}  // namespace sluice::doors
