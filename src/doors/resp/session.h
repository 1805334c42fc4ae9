// One connection that speaks the Redis protocol, and who makes them.
#pragma once

#include <memory>

#include "doors/resp/service.h"
#include "net/session.h"

namespace sluice::doors::resp {

class Session final : public net::Session {
 public:
  // Both must outlive it.
  Session(Service& service, const net::Peer& peer);

  net::Consumed on_bytes(std::string_view bytes, net::Output& output) override;

 private:
  void answer(Call& call);

  Service& service_;
  Client client_;
  Progress progress_;
};

class SessionMaker final : public net::SessionMaker {
 public:
  // The desk must outlive it, and it the sessions.
  SessionMaker(Desk& desk, Options options) : options_(std::move(options)), service_(desk, options_) {}

  std::unique_ptr<net::Session> make(const net::Peer& peer) override;

 private:
  const Options options_;
  Service service_;
};

}  // namespace sluice::doors::resp
