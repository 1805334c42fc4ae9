// What became of the connections of a door. Counted by event loops, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice::net {

struct Traffic {
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> refused{0};    // for there were too many
  std::atomic<uint64_t> timed_out{0};  // idle, slow to send, or slow to read
  std::atomic<uint64_t> failed{0};     // reset, or no handshake
  std::atomic<uint64_t> open{0};
};

// How many connections all doors of a process have, and may have.
struct ConnectionCap {
  explicit ConnectionCap(uint64_t most_open) : most(most_open) {}

  const uint64_t most;
  std::atomic<uint64_t> open{0};
};

}  // namespace sluice::net
