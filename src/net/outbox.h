// The replies of one turn of a loop: written one behind the other, and sent when all who spoke in it were heard. Who
// asks much, on many connections, then finds many answers at once, and has to be woken less often. One thread.
#pragma once

#include <cstddef>
#include <vector>

#include "net/loop.h"
#include "net/output.h"

namespace sluice::net {

class Connection;

class Outbox final : private Deferred {
 public:
  // The loop must outlive it, and finish its turn before it goes.
  explicit Outbox(Loop& loop) : loop_(loop) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Where replies are appended.
  Output& output() { return output_; }
  // The last so many bytes of it are for this connection, which lives until the turn's end.
  void add(Connection& connection, size_t bytes);
  // Sends all now, in the order in which they were added.
  void flush();

 private:
  struct Letter {
    Connection* to;
    size_t bytes;
  };

  void on_turn_end() override { flush(); }

  Loop& loop_;
  Output output_;
  std::vector<Letter> letters_;
};

}  // namespace sluice::net
