// One connection that speaks the Redis protocol, and who makes them.
#pragma once

#include <memory>
#include <vector>

#include "doors/resp/service.h"
#include "net/session.h"

namespace sluice::doors::resp {

class SessionMaker;

class Session final : public net::Session {
 public:
  // Both must outlive it.
  Session(SessionMaker& maker, const net::Peer& peer);

  net::Consumed on_bytes(std::string_view bytes, net::Turn turn) override;
  bool knows_peer() const override { return client_.is_authenticated; }

 private:
  void answer(Call& call);

  SessionMaker& maker_;
  Client client_;
  Progress progress_;
};

class SessionMaker final : public net::SessionMaker {
 public:
  // The desk must outlive it, and it the sessions.
  SessionMaker(LoopDesk& desk, Options options)
      : desk_(desk), options_(std::move(options)), next_client_id_(options_.first_client_id) {}

  std::unique_ptr<net::Session> make(const net::Peer& peer) override;

 private:
  friend class Session;

  Service& at(size_t seat);
  uint64_t take_client_id();

  LoopDesk& desk_;
  const Options options_;
  uint64_t next_client_id_;
  std::vector<std::unique_ptr<Service>> services_;  // by seat; made when somebody comes
};

}  // namespace sluice::doors::resp
