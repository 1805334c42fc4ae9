// The admin door: HTTP for those who look after a server. docs/admin.md describes it.
#pragma once

#include <memory>
#include <vector>

#include "doors/admin/bucket_routes.h"
#include "doors/admin/explain_route.h"
#include "doors/admin/gate.h"
#include "doors/admin/rules_routes.h"
#include "doors/admin/sources.h"
#include "doors/http/session.h"

namespace sluice::doors::admin {

struct AdminSettings {
  http::Limits limits{};
  Access token{};
  bool is_beyond_loopback = false;
};

// For an event loop of its own, so that whoever looks takes no time from those who are served; used by its thread.
class AdminDoor final : public net::SessionMaker {
 public:
  // The sources must outlive it, and it must outlive its sessions.
  AdminDoor(const Sources& sources, const AdminSettings& settings);

  std::unique_ptr<net::Session> make(const net::Peer& peer) override;

 private:
  std::vector<http::Route> routes();

  void send_readiness(const http::Request& request, http::Response& response) const;
  void send_build(http::Response& response) const;
  void answer_bucket(const http::Request& request, http::Response& response);

  const Sources& sources_;
  const Gate gate_;
  limiter::Worker worker_;
  ExplainRoute explain_;
  BucketRoutes buckets_;
  RulesRoutes rules_;
  http::Hall hall_;
};

}  // namespace sluice::doors::admin
