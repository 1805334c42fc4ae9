// Takes tokens from the store behind in advance and spends them without asking. A decorator of the port, for a store
// across a network. Belongs to one event loop: all but the counts is for its thread alone. No locks; allocates only
// while it grows.
//
// What is admitted here was granted by the bucket before, so all servers together admit no more than it granted:
// capacity + rate x time since it was full. A server that dies loses its credit; nothing is ever spent twice.
//
// In any interval of length t they admit at most capacity + rate x (t + ttl). Proof. What is given back is not
// refunded, but undone: afterwards at least as much is spent as if it had never been taken, however late it arrives,
// and whatever became of the bucket meanwhile (docs/decisions/0022-what-a-bucket-gave.md). A lot of which a part was
// spent counts as two takes at the same moment. So the takes that stay, which are those that requests paid with, are
// within capacity + rate x time in every interval, by the clock of the store. A lot is spent within a ttl of its grant,
// for its question was sent before. So what is admitted in an interval was granted in it, or in the ttl before it.
// Given back in full, unused leases would be a second bucket beside the first: lease_bounds_test.cc shows that they are
// none.
//
// The price: the bucket lacks the sum of all outstanding lots, for a ttl and a sweep at most. Of one that is all but
// full, up to what others took meanwhile stays missing until it comes in.
// docs/decisions/0023-leases-are-undone.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fingerprint/fingerprint.h"
#include "sluice/clock.h"
#include "stores/shortcuts/lease_renewal.h"
#include "stores/shortcuts/lease_request.h"
#include "stores/shortcuts/lease_returns.h"
#include "stores/shortcuts/lease_table.h"
#include "stores/shortcuts/pool.h"
#include "stores/store.h"

namespace sluice::shortcuts {

struct LeaseOptions {
  size_t buckets = 16384;  // that are leased, or may soon be
  size_t pending = 1024;   // requests under way; those beyond are exact
  // Of LeaseTerms::Kind::kAuto, and where the terms have none.
  Duration ttl = Duration::seconds(1);
};

class Leases final : public stores::Store, private LeaseRequester, private LeaseRenewer {
 public:
  // REQUIRES: both outlive it, and it outlives every question that was asked through it or by itself.
  Leases(stores::Store& next, Clock& clock, const LeaseOptions& options = {});

  // As the store behind. Takes that may be leased and are covered by credit are answered here. Of takes behind those
  // together the store is always asked; if it cannot be while all others are covered, these pass all the same, and
  // Ask::not_asked names those behind.
  stores::Progress ask(stores::Ask& ask) override;

  // Fills up what runs low, so that requests need not wait for it, and gives back what expired or lies idle. To be
  // called every some ms; costs little when there is nothing to do.
  void sweep();
  // From now on leases nothing. What does not go at once goes with the next sweeps, until has_outstanding() is false.
  void give_all_back();
  bool has_outstanding() const { return counts_.outstanding() > 0; }
  // Somebody else reset this bucket: its credit is of the time before.
  void drop(std::string_view key, uint32_t part);
  // Somebody may have reset any of them.
  void drop_all();

  // For any thread.
  const LeaseCounts& counts() const { return counts_; }

 private:
  // A peek or a reset under way.
  struct Watch final : stores::Listener {
    void on_answer(stores::Progress progress) override { owner->conclude(*this, progress); }

    Leases* owner = nullptr;
    stores::Ask* ask = nullptr;
    stores::Listener* listener = nullptr;
  };
  // What of a request is leased, and whether the credit is enough.
  struct Plan {
    std::array<Lease*, kMaxTakes> leases;
    uint32_t covered = 0;
    bool has_lease = false;
  };

  stores::Progress take(stores::Ask& ask);
  bool plan(const stores::Ask& ask, Instant now, Plan& plan);
  Lease* lease_of(const Take& take, const stores::LeaseTerms& terms, Instant now);
  void answer_here(stores::Ask& ask, const Plan& plan, Instant now);
  Tokens wanted_on_top(Lease& lease, Instant now) const;

  stores::Progress send(LeaseRequest& request);
  void answer(LeaseRequest& request, stores::Progress progress) override;
  stores::Progress advance(LeaseRequest& request, stores::Progress progress);
  bool must_ask_again(LeaseRequest& request);
  stores::Progress conclude(LeaseRequest& request, stores::Progress progress);
  void settle_asked(LeaseRequest& request, size_t i, bool is_admitted, Instant now);
  void settle_covered(LeaseRequest& request, size_t i, bool is_admitted, Instant now);
  void note_spent(Lease& lease, Tokens cost, Instant now);
  void tell_those_behind(LeaseRequest& request, stores::Progress progress);
  void release(LeaseRequest& request);

  stores::Progress watch(stores::Ask& ask);
  void conclude(Watch& watch, stores::Progress progress);
  stores::Listener* settle(Watch& watch, stores::Progress progress);
  void add_credit(stores::Ask& ask);
  void drop(const stores::Ask& ask);
  void drop(Lease& lease);

  void put_in(Lease& lease, uint32_t drops, const Take& take, const Lot& lot);
  void give_back(const Take& bucket, const Lot& lot);
  template <class Goes>
  void give_back_lots(Lease& lease, const Goes& goes);
  void give_all_back(Lease& lease);
  std::optional<Instant> tend(Lease& lease, Instant now);
  void renew(Instant now);
  void send(LeaseRenewal& renewal);
  void answer(LeaseRenewal& renewal, stores::Progress progress) override;

  stores::Store& next_;
  Clock& clock_;
  const LeaseOptions options_;
  const Fingerprinter fingerprint_;
  bool is_closing_ = false;
  LeaseCounts counts_;
  LeaseTable table_;
  LeaseReturns returns_;
  std::vector<Lease*> low_;  // each pinned
  Pool<LeaseRequest> requests_;
  Pool<LeaseRenewal> renewals_;
  Pool<Watch> watches_;
};

}  // namespace sluice::shortcuts
