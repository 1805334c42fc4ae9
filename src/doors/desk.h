// Where requests are decided. All connections of an event loop share its LoopDesk: who decides, what time it is, what
// is measured. A Desk is one seat at it, with memory for one request at a time: a session may use it only within one
// on_bytes(), for the next to be called uses it too. One thread.
#pragma once

#include "doors/headers.h"
#include "doors/loop_figures.h"
#include "doors/rejections.h"
#include "doors/time_source.h"
#include "limiter/worker.h"

namespace sluice::doors {

struct LoopDesk {
  // All must outlive it. No ledger: rejections are not recorded.
  LoopDesk(limiter::Limiter& limiter, TimeSource& time_source, audit::Ledger* ledger = nullptr)
      : LoopDesk(limiter, limiter.store(), time_source, ledger) {}
  // With a way to the store that is the loop's own.
  LoopDesk(limiter::Limiter& limiter, stores::Store& store, TimeSource& time_source, audit::Ledger* ledger)
      : worker(limiter, store), time(time_source), rejections(ledger) {}

  limiter::Worker worker;
  TimeSource& time;
  LoopFigures figures;
  Rejections rejections;
};

struct Desk {
  // The loop's desk must outlive it.
  explicit Desk(LoopDesk& its_loop)
      : worker(its_loop.worker), time(its_loop.time), figures(its_loop.figures), rejections(its_loop.rejections) {}

  // After a decision, for those who have something to do before note_check(): its memory is fetched meanwhile.
  void expect_note() {
    if (rejections.are_in(check.answer())) rejections.fetch(check);
  }
  // Tells of what `check` has just taken, or was refused: whose turn it was (the tightest bucket's), for those who are
  // shown the hottest keys, and who was rejected. The request must still be there.
  void note_check() {
    const limiter::Answer& answer = check.answer();
    if (answer.tightest != nullptr) figures.keys.add(answer.tightest->key, !answer.allowed);
    if (rejections.are_in(answer)) rejections.note(check, time.since_epoch());
  }

  limiter::Worker& worker;
  TimeSource& time;
  LoopFigures& figures;
  Rejections& rejections;
  limiter::PlainCheck check;
  HeaderFields headers;
};

}  // namespace sluice::doors
