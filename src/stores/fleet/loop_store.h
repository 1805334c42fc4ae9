// One event loop's way to a store that a fleet of servers shares: a client of Redis on that loop, and before it what
// spares questions. Lives on the loop.
#pragma once

#include <memory>
#include <string>

#include "net/fibers.h"
#include "net/loop.h"
#include "net/server.h"
#include "redis/client.h"
#include "redis/subscriber.h"
#include "sluice/clock.h"
#include "stores/redis/peers.h"
#include "stores/redis/redis_store.h"
#include "stores/shortcuts/deny_cache.h"
#include "stores/shortcuts/leases.h"

namespace sluice::fleet {

// What all loops of a server have in common.
struct Terms {
  redis::Options redis;
  std::string prefix = "sluice";
  bool deny_cache = true;
  // Of a server: told to the others while it runs.
  std::string server_name;
};

class LoopStore final : public net::Resident, private redis::ChannelListener, private net::Timer {
 public:
  // The text says why the kernel refuses. The loop and the clock must outlive it. The first loop of a server counts the
  // servers there are.
  static std::variant<std::unique_ptr<LoopStore>, std::string> create(net::Loop& loop, Clock& clock, const Terms& terms,
                                                                      bool is_first);
  ~LoopStore() override;

  void arrive() override;
  void leave() override;

  // For the loop's thread.
  stores::Store& store() { return denials_; }
  // Gives all leases back, and takes no more; and the other servers no longer count on this one. Once.
  void give_back();

  // For any thread.
  redis::Status status() const { return client_->status(); }
  const redis::Counts& redis_counts() const { return client_->counts(); }
  const shortcuts::DenyCache::Counts& denial_counts() const { return denials_.counts(); }
  const shortcuts::LeaseCounts& lease_counts() const { return leases_.counts(); }
  const redis_store::Unreadable& unreadable() const { return redis_.unreadable(); }
  // What give_back() sent of this server has arrived, or never will; that of leases is in lease_counts().
  bool has_left() const { return peers_ == nullptr || peers_->has_left(); }
  uint32_t peers() const { return peers_ == nullptr ? 1 : peers_->count(); }

 private:
  LoopStore(net::Loop& loop, Clock& clock, const Terms& terms, std::unique_ptr<redis::Client> client, bool is_first);

  void on_message(std::string_view message) override;
  void on_live(bool is_live) override;
  void on_time(int64_t now_ms) override;

  net::Loop& loop_;
  const std::string prefix_;
  const std::string channel_;
  const bool has_deny_cache_;
  bool was_live_ = false;  // news came at some time
  std::unique_ptr<redis::Client> client_;
  redis_store::RedisStore redis_;
  shortcuts::Leases leases_;
  shortcuts::DenyCache denials_;
  std::unique_ptr<redis_store::Peers> peers_;
  std::unique_ptr<redis::Subscriber> subscriber_;
};

}  // namespace sluice::fleet
