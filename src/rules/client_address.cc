#include "rules/client_address.h"

#include "rules/forwarded.h"

namespace sluice::rules {

Client find_client(const Request& request, const TrustedProxies& trusted, ForwardedHeader header) {
  const NetworkSet& networks = trusted.networks;
  const auto connected = Address::parse(request.ip);
  if (!connected) {
    if (request.ip != kUnixPeer) return {};
    if (!trusted.has_unix) return {std::nullopt, Client::Found::kLocalSocket};
  } else if (networks.empty() || !networks.contains(*connected)) {
    return {connected, Client::Found::kConnected};
  }
  Client client{connected, Client::Found::kAllTrusted};
  Hops hops(request.headers, header);
  for (int i = 0; i < kMostHops; ++i) {
    const auto hop = hops.next();
    if (!hop) return client;
    if (hop->empty()) continue;  // HTTP lets lists have empty members.
    const auto address = address_of_hop(*hop, header);
    if (!address) return {client.address, Client::Found::kUnreadable};
    client.address = address;
    if (!networks.contains(*address)) return {address, Client::Found::kForwarded};
  }
  return {client.address, Client::Found::kTooManyHops};
}

std::string describe(const Client& client, ForwardedHeader header) {
  const std::string name(name_of(header));
  if (!client.address) {
    if (client.found == Client::Found::kNoAddress) return "unknown: the request has no ip, or one that is no address";
    const std::string unknown = "unknown: whoever connected has no address on a unix socket, and ";
    return unknown + (client.found == Client::Found::kLocalSocket
                          ? "trusted_proxies does not have 'unix', so " + name + " is not believed"
                          : "the last hop in " + name + " is missing, or is no address");
  }
  const std::string text = client.address->text();
  switch (client.found) {
    case Client::Found::kNoAddress:
    case Client::Found::kLocalSocket:
    case Client::Found::kConnected:
      return text + ", who connected; it is no trusted proxy, so " + name + " is not believed";
    case Client::Found::kForwarded: return text + ", from " + name;
    case Client::Found::kUnreadable:
      return text + ", the last trusted hop: the one before it in " + name + " is no address";
    case Client::Found::kAllTrusted: return text + ", the first of the hops, all of which are trusted proxies";
    case Client::Found::kTooManyHops:
      return text + ", the last of the " + std::to_string(kMostHops) + " hops in " + name + " that are looked at";
  }
  return text;
}

}  // namespace sluice::rules
