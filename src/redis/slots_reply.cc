#include "redis/slots_reply.h"

#include "redis/request.h"

namespace sluice::redis {
namespace {

// host, port, id, ...
std::optional<Address> read_node(const Reply& node, const Address& asked) {
  const auto parts = node.elements();
  if (parts.size() < 2 || !parts[1].is_integer()) return std::nullopt;
  const int64_t port = parts[1].integer();
  if (port <= 0 || port > UINT16_MAX) return std::nullopt;
  const std::string_view host = parts[0].text();
  const bool is_unsaid = host.empty() || host == "?";
  return Address{is_unsaid ? asked.host : std::string(host), static_cast<uint16_t>(port), ""};
}

// first, last, master, replicas ...
std::optional<SlotRange> read_range(const Reply& reply, const Address& asked) {
  const auto parts = reply.elements();
  if (parts.size() < 3 || !parts[0].is_integer() || !parts[1].is_integer()) return std::nullopt;
  const int64_t first = parts[0].integer();
  const int64_t last = parts[1].integer();
  if (first < 0 || last < first || last >= kSlots) return std::nullopt;
  SlotRange range{static_cast<uint16_t>(first), static_cast<uint16_t>(last), {}, {}};
  for (size_t i = 2; i < parts.size(); ++i) {
    const auto node = read_node(parts[i], asked);
    if (!node) return std::nullopt;
    if (i == 2) {
      range.master = *node;
    } else {
      range.replicas.push_back(*node);
    }
  }
  return range;
}

}  // namespace

std::optional<std::vector<SlotRange>> read_slots(const Reply& reply, const Address& asked) {
  if (!reply.is_array()) return std::nullopt;
  std::vector<SlotRange> ranges;
  for (const Reply& element : reply.elements()) {
    const auto range = read_range(element, asked);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

}  // namespace sluice::redis
