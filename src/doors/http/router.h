// Who answers which path: a table of routes. Knows no word of rate limiting; each door has one of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "doors/access.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "net/session.h"

namespace sluice::doors::http {

// Must send the response before it returns.
using Handler = std::function<void(const Request&, const net::Peer&, Response&)>;

// Whether a request may go on, by its head: the body has not come. False: the response has been sent, and says why not.
using Guard = std::function<bool(const Request&, Response&)>;

enum class Reach : uint8_t { kPath, kBelow };

struct Route {
  std::string path;                  // of kBelow: what a path begins with, `/admin/v1/buckets/`
  std::vector<std::string> methods;  // empty: any. With GET comes HEAD.
  Handler handler;
  Guard guard{};  // none: whoever has come through the door
  Reach reach = Reach::kPath;
  bool is_open = false;  // for everybody, even where the door has a token
};

// Immutable once it is made; a request goes to the route of its exact path, else to the longest above it.
class Router {
 public:
  Router(Access access, std::vector<Route> routes);

  // By the head of a request, so that a body is taken in only of those who may send one: 401 is its own. True: the
  // response has been sent.
  [[nodiscard]] bool turns_away(const Request& head, Response& response) const;
  // Answers in every case: 404 and 405 are its own. REQUIRES: its head was not turned away.
  void handle(const Request& request, const net::Peer& peer, Response& response) const;

 private:
  struct Entry {
    Route route;
    std::string allow;  // as the field Allow has it
  };

  const Entry* find(std::string_view path) const;

  const Access access_;
  std::vector<Entry> entries_;
};

}  // namespace sluice::doors::http
