// What one event loop was made to reject, until the writer comes for it. A loop never waits for the writer: it takes
// the page that lies here, notes on it and puts it back, and the writer exchanges only a page that lies here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "audit/page.h"
#include "audit/rejection.h"
#include "fingerprint/fingerprint.h"
#include "telemetry/counter.h"

namespace sluice::audit {

// A Pen is for the loop's thread, collect() for the writer's; the figures are for all.
class Ledger {
 public:
  struct Options {
    // The most subjects in one window; rejections of further ones are counted, and that is all. While one window is
    // written the next is filled, so there is room for twice as many.
    uint32_t rows = 1 << 17;
    // For what their rows tell. Memory is touched only as it is needed: 20 MiB of a window when all of it is.
    size_t bytes = size_t{16} << 20;
  };

  Ledger() : Ledger(Options{}) {}
  explicit Ledger(const Options& options);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // What a loop holds while it notes: for some microseconds, and one at a time.
  class Pen {
   public:
    explicit Pen(Ledger& ledger) : ledger_(ledger), page_(ledger.page_.exchange(nullptr, std::memory_order_acquire)) {}
    ~Pen() {
      ledger_.noted_.add(noted_);
      ledger_.page_.store(page_, std::memory_order_release);
    }
    Pen(const Pen&) = delete;
    Pen& operator=(const Pen&) = delete;

    // What is counted together: the same bytes of the same kind. Nobody outside can make two of them meet, since it is
    // keyed with a secret, and few windows have so many that two meet by chance: bytes need not be compared.
    Fingerprint subject(std::string_view bytes, uint32_t kind) const { return ledger_.fingerprint_(bytes, kind); }
    // Whether there is so much room in this window that subjects may be told apart more finely.
    bool has_much_room() const { return page_->has_much_room(); }
    // A few subjects ahead, so that their memory is at hand.
    void prefetch(const Fingerprint& subject) const { page_->prefetch(subject); }

    // `describe` makes a Rejection, and is called only for the first of a subject in a window.
    template <class Describe>
    void note(const Fingerprint& subject, int64_t at_us, const Describe& describe) {
      ++noted_;
      if (!page_->note(subject, at_us, describe)) ledger_.dropped_.add();
    }

   private:
    Ledger& ledger_;
    Page* const page_;
    uint64_t noted_ = 0;
  };

  // The page that was filled until now; the loop goes on with the other one. nullptr where the loop held on to it all
  // the while. REQUIRES: the page before was cleared.
  Page* collect();

  // Rejections since the start, and those of them for which there was no row.
  uint64_t noted() const { return noted_.value(); }
  uint64_t dropped() const { return dropped_.value(); }

 private:
  const Fingerprinter fingerprint_;
  Page first_;
  Page second_;
  Page* spare_ = &second_;  // the writer's
  telemetry::Counter noted_;
  telemetry::Counter dropped_;
  alignas(64) std::atomic<Page*> page_{&first_};  // nullptr while the loop notes
};

}  // namespace sluice::audit
