// Rejects without asking what the store behind is known to reject still. A decorator of the port, for a store across a
// network. Belongs to one event loop: all but the counts is for its thread alone. No locks; allocates only while it
// grows.
//
// Why it never rejects what the store would admit. The store rejected a take at its time S with the exact wait w:
// before S + w it rejects the same take, whatever else is taken meanwhile, since takes only make waits longer. S is no
// earlier than the question was sent, so by the local clock the take is rejected until then + w, less a margin for two
// clocks that do not run alike. What makes waits shorter is a refund, a reset or another limit; each makes the bucket
// forgotten, here when it is sent and again when it is answered, and by forget() when another server did it. An answer
// to a question that was sent before that is not remembered.
// A larger cost is rejected as long as a smaller one is; how much longer is known of buckets, whose wait grows by
// (difference of the costs) / rate. Of windows it is not, so there the cost must be the same.
//
// A request over several buckets is rejected by that with the longest wait. It is answered here if each of its buckets
// is known to reject, or the others cannot have as long a wait: that of a bucket from empty, if it has spent no more
// than its burst. It may have spent more where another limit has a larger burst, so that this must have been seen in an
// answer that was asked for Options::within_burst_for ago at most. So for as long, and only while another server lets a
// key have a larger burst, another bucket may be named than the store would name.
//
// What deletes buckets behind our back makes no news: a rejection is remembered for a second at most.
// A bucket with leases has no such proof: leases are given back without news. A rejection of it is remembered for
// Options::leased_for at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerprint/fingerprint.h"
#include "sluice/clock.h"
#include "stores/shortcuts/burst_table.h"
#include "stores/shortcuts/deny_table.h"
#include "stores/shortcuts/pool.h"
#include "stores/store.h"
#include "telemetry/counter.h"

namespace sluice::shortcuts {

struct DenyCacheOptions {
  size_t entries = 65536;
  // Questions that may be under way; answers to those beyond are not remembered.
  size_t pending = 4096;
  Duration leased_for = Duration::millis(50);
  size_t bursts = 8192;  // buckets beside others that are known to have spent no more than their burst
  Duration within_burst_for = Duration::millis(50);
};

class DenyCache final : public stores::Store {
 public:
  // REQUIRES: both outlive it, and it outlives every question that was asked through it.
  DenyCache(stores::Store& next, Clock& clock, const DenyCacheOptions& options = {});

  // As the store behind, but for requests that are known to be rejected: those are answered at once. Each bucket that
  // is known to reject is told of; the others were not asked.
  stores::Progress ask(stores::Ask& ask) override;

  // Somebody else gave tokens back to this bucket, or changed its rule.
  void forget(std::string_view key, uint32_t part);
  void forget_all();
  // Off, it passes everything on and remembers nothing: for times in which forget() would not be called.
  void set_enabled(bool enabled);

  // For any thread.
  struct Counts {
    telemetry::Counter hits;        // requests rejected without asking
    telemetry::Counter remembered;  // rejections
    telemetry::Counter forgotten;   // of these, by news; not those that made room or ended
  };
  const Counts& counts() const { return counts_; }

 private:
  // A question under way.
  struct Pending final : stores::Listener {
    void on_answer(stores::Progress progress) override { owner->answer(*this, progress); }

    DenyCache* owner = nullptr;
    stores::Ask* ask = nullptr;
    stores::Listener* listener = nullptr;
    Instant sent;
    uint64_t moment = 0;
    bool is_late = false;  // answered later, not at once
  };

  Fingerprint fingerprint_of(const Take& take) const { return fingerprint_(take.key, take.part); }
  stores::Progress take(stores::Ask& ask);
  enum class Known : uint8_t { kNothing, kRejected, kNamedTwice };
  Known look_up(stores::Ask& ask, Instant now);
  stores::Progress send(Pending& pending, stores::Ask& ask, Instant now);
  void answer(Pending& pending, stores::Progress progress);
  stores::Listener* conclude(Pending& pending, stores::Progress progress);
  void learn(const Pending& pending);
  void remember(const Fingerprint& bucket, const Pending& pending, size_t i);

  stores::Store& next_;
  Clock& clock_;
  const DenyCacheOptions options_;
  const Fingerprinter fingerprint_;
  bool is_enabled_ = true;
  DenyTable table_;
  BurstTable within_burst_;
  Pool<Pending> pending_;
  Counts counts_;
};

}  // namespace sluice::shortcuts
