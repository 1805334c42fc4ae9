#include "stores/fleet/fleet.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

namespace sluice::fleet {
namespace {

// Told apart from others on the same machine, and from itself when it was started before.
std::string name_of_server() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return std::string(host) + ":" + std::to_string(getpid()) + ":" + std::to_string(std::random_device()());
}

void add(Figures& all, const LoopStore& store) {
  const redis::Counts& counts = store.redis_counts();
  all.commands += counts.sent.value();
  all.timed_out += counts.timed_out.value();
  all.failed += counts.failed.value();
  all.refused += counts.refused.value();
  all.redirected += counts.redirected.value();
  all.denied_here += store.denial_counts().hits.value();
  all.leased_micros += store.lease_counts().granted.value();
  all.spent_micros += store.lease_counts().spent.value();
  all.outstanding_micros += store.lease_counts().outstanding();
  all.unreadable += store.unreadable().count();
  if (store.unreadable().count() > 0) all.unreadable_bucket = store.unreadable().last();
}

template <class Condition>
void wait_until(int64_t patience_ms, const Condition& condition) {
  const int64_t end = net::monotonic_ms() + patience_ms;
  while (!condition() && net::monotonic_ms() < end) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

// Lives on a loop, and takes its place in the fleet while it does.
class Fleet::Housed final : public net::Resident {
 public:
  Housed(Fleet& fleet, size_t loop, std::unique_ptr<LoopStore> store)
      : fleet_(fleet), loop_(loop), store_(std::move(store)) {}
  ~Housed() override {
    const std::lock_guard lock(fleet_.mutex_);
    fleet_.seats_[loop_] = {};
    add(fleet_.gone_, *store_);
  }

  void arrive() override { store_->arrive(); }
  void leave() override { store_->leave(); }

 private:
  Fleet& fleet_;
  const size_t loop_;
  const std::unique_ptr<LoopStore> store_;
};

std::variant<std::unique_ptr<Fleet>, std::string> Fleet::create(const Options& options, size_t loops, Clock& clock) {
  std::unique_ptr<net::TlsClient> tls;
  if (options.place.is_encrypted) {
    auto loaded = net::TlsClient::load({options.authorities, {}});
    if (auto* why = std::get_if<std::string>(&loaded)) return std::move(*why);
    tls = std::move(std::get<std::unique_ptr<net::TlsClient>>(loaded));
  }
  return std::unique_ptr<Fleet>(new Fleet(options, loops, clock, std::move(tls)));
}

Fleet::Fleet(const Options& options, size_t loops, Clock& clock, std::unique_ptr<net::TlsClient> tls)
    : place_(redis::to_text(options.place)), clock_(clock), tls_(std::move(tls)), seats_(loops) {
  terms_.redis.place = options.place;
  terms_.redis.connect_ms = options.timeout_ms;
  terms_.redis.request_ms = options.timeout_ms;
  terms_.redis.tls = tls_.get();
  terms_.prefix = options.prefix;
  terms_.deny_cache = options.deny_cache;
  terms_.server_name = name_of_server();
  for (size_t i = 0; i < loops; ++i) faces_.push_back(std::make_unique<redis_store::PatientStore>());
}

std::unique_ptr<net::Resident> Fleet::make(size_t loop, net::Loop& its_loop, net::Fibers& fibers) {
  const bool is_first = loop == 0;
  auto made = LoopStore::create(its_loop, clock_, terms_, is_first);
  if (!std::holds_alternative<std::unique_ptr<LoopStore>>(made)) return nullptr;
  auto store = std::move(std::get<std::unique_ptr<LoopStore>>(made));
  faces_[loop]->attach(fibers, store->store());
  if (is_first) {
    const auto post = [this](std::function<void()> task) {
      const std::lock_guard lock(mutex_);
      if (seats_[0].loop == nullptr) return false;
      seats_[0].loop->post(std::move(task));
      return true;
    };
    others_.attach(post, store->store());
  }
  const std::lock_guard lock(mutex_);
  seats_[loop] = {&its_loop, store.get()};
  return std::make_unique<Housed>(*this, loop, std::move(store));
}

void Fleet::await(int64_t patience_ms) const {
  wait_until(patience_ms, [&] {
    const std::lock_guard lock(mutex_);
    return std::all_of(seats_.begin(), seats_.end(),
                       [](const Seat& seat) { return seat.store == nullptr || seat.store->status().is_available; });
  });
}

void Fleet::give_back(int64_t patience_ms) {
  {
    const std::lock_guard lock(mutex_);
    for (const Seat& seat : seats_) {
      if (seat.loop != nullptr) seat.loop->post([store = seat.store] { store->give_back(); });
    }
  }
  wait_until(patience_ms, [&] { return figures().outstanding_micros == 0 && has_left(); });
}

bool Fleet::has_left() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(seats_.begin(), seats_.end(),
                     [](const Seat& seat) { return seat.store == nullptr || seat.store->has_left(); });
}

uint32_t Fleet::peers() const {
  const std::lock_guard lock(mutex_);
  return seats_[0].store == nullptr ? 1 : seats_[0].store->peers();
}

Figures Fleet::figures() const {
  const std::lock_guard lock(mutex_);
  Figures all = gone_;
  for (const Seat& seat : seats_) {
    if (seat.store == nullptr) continue;
    add(all, *seat.store);
    const redis::Status status = seat.store->status();
    all.loops += status.is_available || !status.why.empty() ? 1 : 0;
    all.connections += status.connections_up;
    all.loops_up += status.is_available ? 1 : 0;
    if (all.why.empty()) all.why = status.why;
  }
  all.is_up = all.loops_up > 0;
  if (all.is_up) all.why.clear();
  if (seats_[0].store != nullptr) all.peers = seats_[0].store->peers();
  return all;
}

}  // namespace sluice::fleet
