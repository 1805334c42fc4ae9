// A store that a fleet of servers shares, as one of them has it: a way to it for each event loop, one for other
// threads, and how it is doing. All but make() is for any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/tls.h"
#include "stores/fleet/loop_store.h"
#include "stores/redis/patient_store.h"
#include "stores/redis/posted_store.h"

namespace sluice::fleet {

struct Options {
  redis::Place place;
  int64_t timeout_ms = 20;
  std::string prefix = "sluice";
  bool deny_cache = true;
  std::string authorities{};  // PEM; empty: those that the system trusts
};

// Since the start, of all loops.
struct Figures {
  size_t loops = 0;     // that have reached it, or know why they did not
  size_t loops_up = 0;  // of these, those that can ask just now
  bool is_up = false;
  std::string why{};  // it is not
  uint64_t connections = 0;
  uint64_t peers = 1;
  uint64_t commands = 0;
  uint64_t timed_out = 0;
  uint64_t failed = 0;
  uint64_t refused = 0;
  uint64_t redirected = 0;
  uint64_t denied_here = 0;
  uint64_t leased_micros = 0;  // taken in advance, in millionths of a token
  uint64_t spent_micros = 0;   // of these, without asking
  uint64_t outstanding_micros = 0;
  uint64_t unreadable = 0;          // calls that met a bucket which they could not read
  std::string unreadable_bucket{};  // one of these
};

class Fleet {
 public:
  // The text says what is wrong with the certificates. The clock must outlive it.
  static std::variant<std::unique_ptr<Fleet>, std::string> create(const Options& options, size_t loops, Clock& clock);

  // Before the loops run: what lives on that loop, and not longer than the fleet. nullptr when the kernel refuses; then
  // it is as if Redis were away.
  std::unique_ptr<net::Resident> make(size_t loop, net::Loop& its_loop, net::Fibers& fibers);

  // For whoever asks on a fiber of that loop.
  stores::Store& of_loop(size_t loop) { return *faces_[loop]; }
  // For other threads.
  stores::Store& of_others() { return others_; }

  // Until every loop can ask, or that time is up.
  void await(int64_t patience_ms) const;
  // Gives leases back and says goodbye, for as long as that may take. Once, while the loops run.
  void give_back(int64_t patience_ms);

  uint32_t peers() const;
  Figures figures() const;
  // `redis://127.0.0.1:6379`
  const std::string& place() const { return place_; }

 private:
  // Stands for the loop's store after it has gone.
  struct Seat {
    net::Loop* loop = nullptr;
    LoopStore* store = nullptr;
  };
  class Housed;

  bool has_left() const;

  Fleet(const Options& options, size_t loops, Clock& clock, std::unique_ptr<net::TlsClient> tls);

  const std::string place_;
  Clock& clock_;
  const std::unique_ptr<net::TlsClient> tls_;
  Terms terms_;
  std::vector<std::unique_ptr<redis_store::PatientStore>> faces_;
  redis_store::PostedStore others_;
  mutable std::mutex mutex_;  // for seats_ and gone_
  std::vector<Seat> seats_;
  Figures gone_;
};

}  // namespace sluice::fleet
