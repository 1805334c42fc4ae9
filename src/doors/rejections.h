// From answers to the ledger of their event loop: who was refused what. Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "audit/ledger.h"
#include "limiter/check.h"
#include "sluice/take.h"
#include "sluice/units.h"

namespace sluice::doors {

class Rejections {
 public:
  // nullptr: they are not recorded. Must outlive it.
  explicit Rejections(audit::Ledger* ledger) : ledger_(ledger) {}

  bool are_recorded() const { return ledger_ != nullptr; }
  // Most answers have none, and cost no more than this.
  bool are_in(const limiter::Answer& answer) const {
    if (!are_recorded()) return false;
    bool any = !answer.allowed || !answer.denied_in_shadow.empty();
    for (const limiter::BucketAnswer& bucket : answer.shadow) any |= !bucket.allowed;
    return any;
  }

  // Of one request, shadow rules that would have rejected it too. `since_epoch` is the calendar's time.
  // REQUIRES: are_recorded(), and the request is still there.
  void note(limiter::Check& check, Duration since_epoch);
  // Has the memory fetched that note() needs: for those who have something to do before that.
  // REQUIRES: as note(), which must be the next to be called.
  void fetch(limiter::Check& check);
  // Of buckets beside the rules, each on its own. REQUIRES: are_recorded(), and as many results as takes.
  void note_each(std::span<const Take> takes, std::span<const stores::BucketResult> results, Duration since_epoch);

 private:
  // What a rejection is counted under.
  Fingerprint subject_of(const audit::Ledger::Pen& pen, limiter::Check& check, const limiter::BucketAnswer& bucket,
                         bool is_shadow);
  std::string_view bytes_by_caller(const limiter::BucketAnswer& bucket, limiter::Check& check);
  void note_bucket(audit::Ledger::Pen& pen, limiter::Check& check, const limiter::BucketAnswer& bucket, bool is_shadow);
  // What rejected a request before any bucket was asked.
  struct Denial {
    std::string_view policy;
    std::string_view rule;
    std::string_view detail;
    limiter::Reason reason;
    int64_t rule_id = 0;
    bool is_shadow = false;
  };
  void note_denial(audit::Ledger::Pen& pen, limiter::Check& check, const Denial& denial);

  audit::Ledger* ledger_;
  int64_t at_us_ = 0;
  std::string subject_;
  std::optional<Fingerprint> fetched_;  // the subject of the bucket that named the rejection
};

}  // namespace sluice::doors
