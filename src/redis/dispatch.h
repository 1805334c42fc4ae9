// Requests on their way: to the right server, from one to the next if they are sent on, and back to who asked, in time.
// One thread.
#pragma once

#include <vector>

#include "redis/link.h"
#include "redis/router.h"
#include "redis/status.h"
#include "redis/under_way.h"

namespace sluice::redis {

class Dispatch final : public LinkOwner {
 public:
  Dispatch(Alarms& alarms, const Options& options, StatusListener* listener);

  // Before anything else. It must outlive what is under way.
  void route_by(Router& router) { router_ = &router; }

  bool send(Request& request);
  // To this very server, once, whatever it answers.
  bool send_on(Link& link, Request& request, int64_t patience_ns);
  // From now on what is lost is told at once.
  void close();

  void update_status();

  Counts counts;
  StatusBoard board;

 private:
  static constexpr uint8_t kMostRedirections = 5;

  void on_link_reply(Link& link, Request& request, const Reply& reply) override;
  void on_link_lost(Request& request, Failure failure) override;
  void on_link_change(Link& link) override;

  void on_error(Link& link, Request& request, const Reply& reply);
  void tell_error(Link& link, Request& request, const Reply& reply);
  void redirect(Link& link, Request& request, const Reply& reply, Link::Ask ask);
  static int64_t next_try_ns(const Request& request);
  bool may_ask_again(const Request& request) const;
  void ask_again_soon(Request& request);
  void ask_again();
  void on_time_up(Request& request);
  void tell_reply(Request& request, const Reply& reply);
  void tell_failure(Request& request, Failure failure);

  struct Waiting {
    Request* request;
    int64_t at_ns;
  };

  const Options& options_;
  StatusListener* const listener_;
  Router* router_ = nullptr;
  UnderWay under_way_;
  Alarm again_;
  std::vector<Waiting> waiting_;  // to be asked again
  bool is_closed_ = false;
};

}  // namespace sluice::redis
