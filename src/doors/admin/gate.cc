#include "doors/admin/gate.h"

#include <algorithm>

namespace sluice::doors::admin {
namespace {

std::string_view without_port(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  return has_port ? host.substr(0, colon) : host;
}

// An address, or the name that every machine has for itself. A name of somebody else's choosing is none: a web page
// could have it lead here, and read with the eyes of a browser on this machine.
bool is_of_this_machine(std::string_view host) {
  const std::string_view name = without_port(host);
  const bool is_address = name.starts_with('[') || name.find_first_not_of("0123456789.") == name.npos;
  constexpr std::string_view kName = "localhost";
  return is_address || std::equal(name.begin(), name.end(), kName.begin(), kName.end(),
                                  [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

bool Gate::lets_in(const http::Request& request, http::Response& response, std::string_view without_token) const {
  if (!token_.needs_token()) {
    response.send_fault(403, without_token);
    return false;
  }
  if (token_.allows_bearer(request.field("authorization"))) return true;
  const http::Field field{"WWW-Authenticate", "Bearer realm=\"sluice\""};
  response.send_fault(401, "This needs the token of the admin door: Authorization: Bearer and the token.", {&field, 1});
  return false;
}

bool Gate::lets_see(const http::Request& request, http::Response& response) const {
  if (may_see(request)) return true;
  if (is_beyond_loopback_) {
    return lets_in(request, response, "This door reaches beyond this machine, and has no token: set admin.token.");
  }
  response.send_fault(421, "Ask for this by an address or as localhost, or bring the token of the admin door.");
  return false;
}

bool Gate::lets_change(const http::Request& request, http::Response& response) const {
  return lets_in(request, response, "Nothing can be changed here without a token, and there is none: set admin.token.");
}

bool Gate::lets_see_secrets(const http::Request& request, http::Response& response) const {
  return lets_in(request, response, "Secrets can be in this: it needs a token, and there is none: set admin.token.");
}

std::string Gate::who(const http::Request& request) const {
  const std::string* const name = token_.owner_of_bearer(request.field("authorization"));
  return name == nullptr || name->empty() ? "admin" : *name;
}

bool Gate::may_see(const http::Request& request) const {
  if (!is_beyond_loopback_ && is_of_this_machine(request.host)) return true;
  return token_.needs_token() && token_.allows_bearer(request.field("authorization"));
}

}  // namespace sluice::doors::admin
