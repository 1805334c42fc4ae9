// The hops that forwarding headers tell of, from the right: the nearest proxy wrote the last one.
// Views into the request. Whatever a client wrote stands to the left of what proxies added, and cannot change how that
// is read: no quote of the client's swallows a hop of a proxy's.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "rules/address.h"
#include "rules/model.h"
#include "rules/request.h"

namespace sluice::rules {

// `x-forwarded-for` or `forwarded`.
std::string_view name_of(ForwardedHeader header);

class Hops {
 public:
  Hops(std::span<const Field> headers, ForwardedHeader header) : headers_(headers), header_(header) {}

  // The next one to the left, over all lines of the header; nothing at the end. It may be empty.
  std::optional<std::string_view> next();

 private:
  bool find_line();
  size_t last_comma() const;

  std::span<const Field> headers_;  // those not yet looked at
  ForwardedHeader header_;
  std::optional<std::string_view> line_;  // what is left of the current one
};

// Of X-Forwarded-For the address, of Forwarded that of its `for=`. Nothing for `unknown`, a hidden name or nonsense.
std::optional<Address> address_of_hop(std::string_view hop, ForwardedHeader header);

}  // namespace sluice::rules
