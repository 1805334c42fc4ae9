// Takes connections in at one place, for one event loop. That loop's thread only, but for its making.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/connection.h"
#include "net/descriptor.h"
#include "net/loop.h"
#include "net/session.h"
#include "net/tls.h"
#include "net/traffic.h"

namespace sluice::net {

class Listener final : public Watcher, private ConnectionOwner {
 public:
  // What all listeners of a door share. All must outlive it.
  struct Door {
    Patience patience;
    ConnectionCap& cap;
    Traffic& traffic;
    const TlsIdentity* identity = nullptr;  // nullptr: in the clear
  };

  // One event loop, and the fibers on it if there are any. All must outlive it.
  struct Place {
    Loop& loop;
    Fibers* fibers = nullptr;
  };
  Listener(Place place, Descriptor fd, const Door& door, SessionMaker& maker);
  // Closes what is open.
  ~Listener() override;

  // False when the kernel refuses.
  bool start();
  // Takes those in who wait and then no more, and lets each connection end with what it is about.
  void drain();

  size_t open() const { return connections_.size(); }

 private:
  void on_ready(uint32_t events) override;
  void on_closed(Connection& connection) override;
  bool accept_one();
  void take_in(Descriptor fd);
  void shed_one();

  Loop& loop_;
  Fibers* const fibers_;
  Descriptor fd_;
  const Door& door_;
  SessionMaker& maker_;
  Outbox outbox_;
  // Given up for a moment when the process has no descriptor left, so that a connection can be told so.
  Descriptor spare_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace sluice::net
