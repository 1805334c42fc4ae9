// Who a request is from: whoever connected, unless that is a trusted proxy, which then says who it is.
#pragma once

#include <optional>
#include <string>

#include "rules/address.h"
#include "rules/model.h"
#include "rules/network_set.h"
#include "rules/request.h"

namespace sluice::rules {

struct Client {
  enum class Found : uint8_t {
    kNoAddress,    // whoever connected has none that can be read
    kLocalSocket,  // whoever connected has none, on a local socket, and is not trusted
    kConnected,    // whoever connected is not trusted, so it is the client
    kForwarded,    // the first hop from the right that is not trusted
    kUnreadable,   // a hop could not be read: the last good one before it
    kAllTrusted,   // every hop is trusted: the leftmost
    kTooManyHops,  // the last of those looked at
  };

  std::optional<Address> address;
  Found found = Found::kNoAddress;
};

// More than this many hops are not looked at: no chain of proxies is so long, and a client can write any number.
inline constexpr int kMostHops = 100;

// Whose word is taken. Immutable.
struct TrustedProxies {
  TrustedProxies() = default;
  explicit TrustedProxies(const RuleSet& rules) : networks(rules.trusted_proxies), has_unix(rules.trusts_unix) {}

  NetworkSet networks;
  bool has_unix = false;
};

// Of a trusted proxy on a local socket there is no address unless its header has one.
Client find_client(const Request& request, const TrustedProxies& trusted, ForwardedHeader header);

// For people: "203.0.113.7, from x-forwarded-for".
std::string describe(const Client& client, ForwardedHeader header);

}  // namespace sluice::rules
