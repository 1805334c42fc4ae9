#include "config/address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "documents/wording.h"

namespace sluice::config {
namespace {

using documents::quote;

constexpr std::string_view kExpected = "must be host:port, [ipv6]:port, :port or unix:/path, or off, but is ";
constexpr std::string_view kUnix = "unix:";
constexpr size_t kMostAddresses = 64;

Problem refused(std::string_view text, std::string hint) {
  return {std::string(kExpected) + (text.empty() ? "empty" : quote(text)), std::move(hint)};
}

std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && stop == end ? std::optional(port) : std::nullopt;
}

template <int kFamily, size_t kSize>
std::optional<std::array<uint8_t, kSize>> parse_host(const std::string& text) {
  std::array<uint8_t, kSize> bytes{};
  return inet_pton(kFamily, text.c_str(), bytes.data()) == 1 ? std::optional(bytes) : std::nullopt;
}

std::optional<std::string> spell_host(const std::string& text, bool is_v6) {
  if (text.find('\0') != text.npos) return std::nullopt;
  if (!is_v6) return parse_host<AF_INET, 4>(text) ? std::optional(text) : std::nullopt;
  const auto bytes = parse_host<AF_INET6, 16>(text);
  if (!bytes) return std::nullopt;
  char spelt[INET6_ADDRSTRLEN];
  return std::string(inet_ntop(AF_INET6, bytes->data(), spelt, sizeof(spelt)));
}

std::variant<Address, Problem> parse_local_socket(std::string_view text) {
  const std::string_view path = text.substr(kUnix.size());
  if (path.empty() || path[0] != '/') return refused(text, "the path must begin with /: unix:/run/sluice/http.sock");
  if (path.find('\0') != path.npos) return refused(text, "the path has a zero byte");
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return refused(text, "the path must have at most " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                             " bytes, but has " + std::to_string(path.size()));
  }
  return Address{"", 0, std::string(path)};
}

std::variant<Address, Problem> parse_address(std::string_view text) {
  if (text == "off") return Problem{"must not mix off with addresses", "leave one of them out"};
  if (text.substr(0, kUnix.size()) == kUnix) return parse_local_socket(text);
  const bool is_v6 = !text.empty() && text[0] == '[';
  const size_t colon = is_v6 ? text.find("]:") : text.find(':');
  if (colon == text.npos) {
    const bool is_port = parse_port(text).has_value();
    return refused(text, is_port ? "write 127.0.0.1:" + std::string(text) + ", or :" + std::string(text) +
                                       " for every address of this machine"
                                 : "the port is missing");
  }
  const std::string host(text.substr(is_v6 ? 1 : 0, colon - (is_v6 ? 1 : 0)));
  const std::string_view port_text = text.substr(colon + (is_v6 ? 2 : 1));
  if (!is_v6 && port_text.find(':') != text.npos) return refused(text, "write IPv6 in brackets: [::1]:8080");
  const auto port = parse_port(port_text);
  if (!port) return refused(text, "a port is a number from 0 to 65535");
  if (host.empty() && !is_v6) return Address{"", *port, ""};
  if (host == "localhost") return Address{"127.0.0.1", *port, ""};
  const auto spelt = spell_host(host, is_v6);
  if (!spelt) return refused(text, "names are not resolved: write a numeric address, or localhost");
  return Address{*spelt, *port, ""};
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

bool Address::is_loopback() const {
  if (is_local_socket()) return true;
  if (const auto v4 = parse_host<AF_INET, 4>(host)) return (*v4)[0] == 127;
  const auto v6 = parse_host<AF_INET6, 16>(host);
  if (!v6) return false;
  const auto& bytes = *v6;
  const auto zeros = [&](size_t count) {
    return std::all_of(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count), [](uint8_t b) { return b == 0; });
  };
  if (zeros(15)) return bytes[15] == 1;
  return zeros(10) && bytes[10] == 0xff && bytes[11] == 0xff && bytes[12] == 127;
}

std::string Address::text() const {
  if (is_local_socket()) return std::string(kUnix) + path;
  const bool is_v6 = host.find(':') != host.npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::variant<Addresses, Problem> parse_addresses(std::string_view text) {
  Addresses addresses;
  if (trimmed(text) == "off") return addresses;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    auto parsed = parse_address(trimmed(text.substr(start, comma - start)));
    if (auto* problem = std::get_if<Problem>(&parsed)) return std::move(*problem);
    auto& address = std::get<Address>(parsed);
    const bool is_fixed = address.is_local_socket() || address.port != 0;
    if (is_fixed && std::find(addresses.begin(), addresses.end(), address) != addresses.end()) {
      return Problem{"must name an address once, but names " + quote(address.text()) + " twice", ""};
    }
    addresses.push_back(std::move(address));
    if (addresses.size() > kMostAddresses) {
      return Problem{"must be at most " + std::to_string(kMostAddresses) + " addresses, but has more", ""};
    }
    start = comma + 1;
  }
  return addresses;
}

}  // namespace sluice::config
