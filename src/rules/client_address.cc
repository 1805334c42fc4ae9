#include "rules/client_address.h"

#include "rules/forwarded.h"

namespace sluice::rules {

Client find_client(const Request& request, const NetworkSet& trusted, ForwardedHeader header) {
  const auto connected = Address::parse(request.ip);
  if (!connected) return {};
  if (trusted.empty() || !trusted.contains(*connected)) return {connected, Client::Found::kConnected};
  Client client{connected, Client::Found::kAllTrusted};
  Hops hops(request.headers, header);
  for (int i = 0; i < kMostHops; ++i) {
    const auto hop = hops.next();
    if (!hop) return client;
    if (hop->empty()) continue;  // HTTP lets lists have empty members.
    const auto address = address_of_hop(*hop, header);
    if (!address) return {client.address, Client::Found::kUnreadable};
    client.address = address;
    if (!trusted.contains(*address)) return {address, Client::Found::kForwarded};
  }
  return {client.address, Client::Found::kTooManyHops};
}

std::string describe(const Client& client, ForwardedHeader header) {
  if (!client.address) return "unknown: the address of whoever connected cannot be read";
  const std::string text = client.address->text();
  const std::string name(name_of(header));
  switch (client.found) {
    case Client::Found::kNoAddress:
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
