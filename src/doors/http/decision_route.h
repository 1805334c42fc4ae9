// /v1/decision: a proxy asks about a request it holds, and describes it in header fields (forward authentication).
#pragma once

#include <string_view>
#include <vector>

#include "doors/http/http_desk.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/query_string.h"
#include "net/session.h"

namespace sluice::doors::http {

struct DecisionSettings {
  // What a rejection is told as where it would be 429: nginx's auth_request knows only 401 and 403 as a no.
  int rejected_status = 429;
};

// Used by one thread. Allocates nothing in the long run.
class DecisionRoute {
 public:
  // The desk must outlive it.
  DecisionRoute(HttpDesk& desk, DecisionSettings settings) : desk_(desk), settings_(settings) {}

  void decide(const Request& request, const net::Peer& peer, Response& response);

 private:
  // What the proxy says of the request it holds. A field that stands twice is told by its name.
  struct Original {
    std::string_view method;
    std::string_view uri;
    std::string_view host;
    std::string_view twice;
  };

  Original read_fields(const Request& request);
  void send(const limiter::Answer& answer, Response& response);

  HttpDesk& desk_;
  const DecisionSettings settings_;
  std::vector<rules::Field> headers_;
  QueryReader query_;
};

}  // namespace sluice::doors::http
