// The public door: HTTP for whoever asks for decisions. docs/http.md describes it.
#pragma once

#include <memory>

#include "doors/access.h"
#include "doors/desk.h"
#include "doors/http/check_routes.h"
#include "doors/http/decision_route.h"
#include "doors/http/session.h"

namespace sluice::doors::http {

struct PublicSettings {
  Limits limits{};
  DecisionSettings decision{};
  size_t most_items = 1000;  // of a batch
  // For every path but `/`.
  Access access{};
};

// One for each event loop; used by its thread.
class PublicDoor final : public net::SessionMaker {
 public:
  // The desk must outlive it, and it must outlive its sessions.
  PublicDoor(Desk& desk, const PublicSettings& settings);

  std::unique_ptr<net::Session> make(const net::Peer& peer) override;

 private:
  std::vector<Route> routes();
  Handler measured(Handler handler);

  Counter counter_;
  CheckRoutes check_;
  DecisionRoute decision_;
  Hall hall_;
};

}  // namespace sluice::doors::http
