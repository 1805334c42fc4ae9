#include "doors/admin/gate.h"

namespace sluice::doors::admin {

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
  return !is_beyond_loopback_ ||
         lets_in(request, response, "This door reaches beyond this machine, and has no token: set admin.token.");
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
  if (!is_beyond_loopback_) return true;
  return token_.needs_token() && token_.allows_bearer(request.field("authorization"));
}

}  // namespace sluice::doors::admin
