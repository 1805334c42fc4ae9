// The public door: HTTP for whoever asks for decisions. docs/http.md describes it.
#pragma once

#include <memory>
#include <vector>

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
class PublicDoor final : public net::SessionMaker, private Halls {
 public:
  // The desk must outlive it, and it must outlive its sessions.
  PublicDoor(LoopDesk& desk, const PublicSettings& settings);
  ~PublicDoor() override;

  std::unique_ptr<net::Session> make(const net::Peer& peer) override;

 private:
  class Room;

  Hall& at(size_t seat) override;

  LoopDesk& desk_;
  const PublicSettings settings_;
  std::vector<std::unique_ptr<Room>> rooms_;  // by seat; furnished when somebody comes
};

}  // namespace sluice::doors::http
