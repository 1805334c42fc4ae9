#include "doors/http/router.h"

#include <algorithm>
#include <utility>

namespace sluice::doors::http {
namespace {

std::string allow_of(const Route& route) {
  std::string allow;
  for (const std::string& method : route.methods) {
    if (!allow.empty()) allow += ", ";
    allow += method == "GET" ? "GET, HEAD" : method;
  }
  return allow;
}

bool allows(const Route& route, std::string_view method) {
  if (route.methods.empty()) return true;
  const std::string_view sought = method == "HEAD" ? "GET" : method;
  return std::find(route.methods.begin(), route.methods.end(), sought) != route.methods.end();
}

// Where the longer path stands first, the first that fits is the one.
bool goes_before(const Route& a, const Route& b) {
  if (a.reach != b.reach) return a.reach == Reach::kPath;
  return a.path.size() > b.path.size();
}

}  // namespace

Router::Router(Access access, std::vector<Route> routes) : access_(std::move(access)) {
  std::stable_sort(routes.begin(), routes.end(), goes_before);
  for (Route& route : routes) {
    std::string allow = allow_of(route);
    entries_.push_back({std::move(route), std::move(allow)});
  }
}

const Router::Entry* Router::find(std::string_view path) const {
  for (const Entry& entry : entries_) {
    const bool fits = entry.route.reach == Reach::kPath ? path == entry.route.path : path.starts_with(entry.route.path);
    if (fits) return &entry;
  }
  return nullptr;
}

bool Router::turns_away(const Request& head, Response& response) const {
  const Entry* const entry = find(head.target.path);
  if ((entry == nullptr || !entry->route.is_open) && access_.needs_token() &&
      !access_.allows_bearer(head.field("authorization"))) {
    const Field field{"WWW-Authenticate", "Bearer realm=\"sluice\""};
    response.send_fault(401, "This door wants its token: Authorization: Bearer and the token.", {&field, 1});
    return true;
  }
  const bool is_guarded = entry != nullptr && entry->route.guard && allows(entry->route, head.method);
  return is_guarded && !entry->route.guard(head, response);
}

void Router::handle(const Request& request, const net::Peer& peer, Response& response) const {
  const Entry* const entry = find(request.target.path);
  if (entry == nullptr) {
    return response.send_fault(404, "There is nothing at " + std::string(request.target.path) + ".");
  }
  if (!allows(entry->route, request.method)) {
    const Field field{"Allow", entry->allow};
    return response.send_fault(405, std::string(request.target.path) + " takes " + entry->allow + ".", {&field, 1});
  }
  entry->route.handler(request, peer, response);
}

}  // namespace sluice::doors::http
