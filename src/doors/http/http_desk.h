// Where the routes of the public door get their decisions: the loop's desk, and how an answer is sent.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "doors/desk.h"
#include "doors/http/response.h"

namespace sluice::doors::http {

// Used by one thread, as its desk is.
class HttpDesk {
 public:
  // The desk must outlive it.
  explicit HttpDesk(Desk& desk) : desk_(desk) {}

  // Before and after each request, which is measured by it. The clocks are read once in between.
  void begin() {
    since_epoch_ = desk_.time.since_epoch();
    now_ = {desk_.time.instant(), since_epoch_.ns / 1'000};
  }

  void end() {
    assert(!is_note_due_);
    record(desk_.figures.http, desk_.time.instant() - now_.instant);
  }

  // Valid until the next. Whoever takes calls note_take() when the answer is written, while the request is still there.
  const limiter::Answer& decide(const rules::Request& request, stores::Action action) {
    desk_.worker.decide(desk_.check, request, now_, action);
    return expecting_note(action);
  }
  const limiter::Answer& decide(const limiter::NamedBucket& bucket, stores::Action action) {
    desk_.worker.decide(desk_.check, bucket, now_, action);
    return expecting_note(action);
  }
  void note_take() {
    is_note_due_ = false;
    desk_.note_check();
  }

  bool may_reserve() { return desk_.worker.reservations().has_room(now_.instant); }
  // The handle for what was just allowed.
  std::string reserve(Duration time) { return desk_.worker.reserve(desk_.check, now_.instant + time); }
  std::optional<Tokens> settle(std::string_view handle, Tokens cost) {
    return desk_.worker.settle(handle, cost, now_.instant);
  }

  // As the rules in force want it. Valid until the next.
  std::span<const Field> fields_of(const limiter::Answer& answer);

 private:
  const limiter::Answer& expecting_note(stores::Action action) {
    assert(!is_note_due_);
    is_note_due_ = action == stores::Action::kTake;
    if (is_note_due_) desk_.expect_note();
    return desk_.check.answer();
  }

  Desk& desk_;
  rules::Now now_;
  Duration since_epoch_;
  bool is_note_due_ = false;
  std::array<Field, HeaderFields::kMostFields> fields_;
};

}  // namespace sluice::doors::http
