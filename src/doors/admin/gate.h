// Who may see and change what at the admin door. Whatever changes state needs the token; where the door can be reached
// from other machines, or was asked for by a name that anybody can have, all else does too. Immutable.
#pragma once

#include <string>

#include "doors/access.h"
#include "doors/http/message.h"
#include "doors/http/response.h"

namespace sluice::doors::admin {

class Gate {
 public:
  // Nobody can bring a token where there is none: then nothing may be changed, nor seen from other machines.
  Gate(Access token, bool is_beyond_loopback) : token_(std::move(token)), is_beyond_loopback_(is_beyond_loopback) {}

  // False: the response has been sent, and says why not.
  [[nodiscard]] bool lets_see(const http::Request& request, http::Response& response) const;
  [[nodiscard]] bool lets_change(const http::Request& request, http::Response& response) const;
  // The same as lets_see() for those who answer either way.
  bool may_see(const http::Request& request) const;
  // For what shows secrets: the token is needed, wherever the request comes from.
  [[nodiscard]] bool lets_see_secrets(const http::Request& request, http::Response& response) const;
  // Whose token it brings. REQUIRES: lets_change().
  std::string who(const http::Request& request) const;

 private:
  bool lets_in(const http::Request& request, http::Response& response, std::string_view without_token) const;

  const Access token_;
  const bool is_beyond_loopback_;
};

}  // namespace sluice::doors::admin
