#include "audit/ledger.h"

#include <sched.h>

#include <chrono>
#include <thread>

namespace sluice::audit {

Ledger::Ledger(const Options& options)
    : first_({options.rows, options.bytes}), second_({options.rows, options.bytes}) {}

Page* Ledger::collect() {
  constexpr int kTries = 1'000;
  constexpr int kBrief = 100;
  for (int i = 0; i < kTries; ++i) {
    Page* lying = page_.load(std::memory_order_relaxed);
    if (lying != nullptr && page_.compare_exchange_strong(lying, spare_, std::memory_order_acq_rel)) {
      return spare_ = lying;
    }
    // A loop that is held up while it notes has the page for long; it must not be kept from going on.
    i < kBrief ? static_cast<void>(sched_yield()) : std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return nullptr;
}

}  // namespace sluice::audit
