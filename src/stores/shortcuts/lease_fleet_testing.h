// For tests: servers with leases in front of one store that answers at once.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "stores/shortcuts/leases.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {

class Fleet {
 public:
  Fleet(size_t servers, const Limit& limit, const LeaseOptions& options) : limit_(limit) {
    for (size_t i = 0; i < servers; ++i) {
      servers_.push_back(std::make_unique<Server>(*memory_, clock, given_, options));
      servers_.back()->remote.is_prompt = true;
    }
  }

  bool take(size_t server, Tokens cost, const stores::LeaseTerms& terms) {
    Question question({"hot", &limit_, cost}, terms);
    question.ask.now = clock.now();
    return question.to(servers_[server]->leases).is_admitted();
  }
  void sweep() {
    for (const auto& server : servers_) server->leases.sweep();
  }
  Tokens outstanding() const {
    int64_t sum = 0;
    for (const auto& server : servers_) sum += static_cast<int64_t>(server->leases.counts().outstanding());
    return Tokens::micros(sum);
  }
  // That the store was asked.
  size_t questions() const {
    size_t sum = 0;
    for (const auto& server : servers_) sum += server->remote.asked;
    return sum;
  }
  // In the bucket.
  Tokens remaining() { return memory_->peek({{{"hot", &limit_}}}, clock.now()).remaining; }

  ManualClock clock{Instant(1'000'000'000)};

 private:
  struct Server {
    Server(memory::MemoryStore& memory, Clock& clock, std::shared_ptr<Given> given, const LeaseOptions& options)
        : remote(memory, clock, std::move(given)), leases(remote, clock, options) {}

    RemoteStore remote;
    Leases leases;
  };

  const Limit limit_;
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  std::shared_ptr<Given> given_ = std::make_shared<Given>();
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace sluice::shortcuts
