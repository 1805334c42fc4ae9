#include "redis/place.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace sluice::redis {
namespace {

struct Scheme {
  std::string_view prefix;
  Kind kind;
  bool is_encrypted;
  bool is_local;
  const char* form;
};

constexpr std::array kSchemes = {
    Scheme{"redis://", Kind::kSingle, false, false, "redis://user:password@host:6379/0"},
    Scheme{"rediss://", Kind::kSingle, true, false, "rediss://user:password@host:6379/0"},
    Scheme{"redis+unix://", Kind::kSingle, false, true, "redis+unix://user:password@/run/redis.sock?db=0"},
    Scheme{"redis+sentinel://", Kind::kSentinel, false, false, "redis+sentinel://host:26379,host:26379/master-name/0"},
    Scheme{"rediss+sentinel://", Kind::kSentinel, true, false, "rediss+sentinel://host:26379,host:26379/master-name/0"},
    Scheme{"redis+cluster://", Kind::kCluster, false, false, "redis+cluster://user:password@host:6379,host:6379"},
    Scheme{"rediss+cluster://", Kind::kCluster, true, false, "rediss+cluster://user:password@host:6379,host:6379"},
};

constexpr int kMostDatabases = 100'000;

const Scheme* scheme_of(std::string_view url) {
  for (const Scheme& scheme : kSchemes) {
    if (url.starts_with(scheme.prefix)) return &scheme;
  }
  return nullptr;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// The part before the mark, which is taken off `rest` with it; all of it if there is no mark.
std::string_view take_until(std::string_view& rest, char mark) {
  const size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::optional<int> read_number(std::string_view text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) return std::nullopt;
  return value;
}

std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

// Reads one URL. Each step says what is wrong, or nothing; no step repeats a part that might be of a password.
class PlaceReader {
 public:
  explicit PlaceReader(const Scheme& scheme) : scheme_(scheme) {
    place.kind = scheme.kind;
    place.is_encrypted = scheme.is_encrypted;
  }

  std::string read(std::string_view rest) {
    std::string_view options = rest;
    std::string_view path = take_until(options, '?');
    std::string_view authority = path.substr(0, path.find('/'));
    path.remove_prefix(authority.size());
    const size_t at = authority.find('@');
    const bool has_user = at != std::string_view::npos;
    const std::string_view behind = has_user ? rest.substr(at + 1) : rest;
    if (behind.find('@') != std::string_view::npos) {
      return "it has an @ where none belongs; in a user or password, @ / : ? % are written %40 %2F %3A %3F %25";
    }
    if (has_user) {
      if (std::string why = read_user(authority.substr(0, at)); !why.empty()) return why;
      authority.remove_prefix(at + 1);
    }
    std::string why = scheme_.is_local ? read_socket(authority, path) : read_servers(authority, path);
    return why.empty() ? read_options(options) : why;
  }

  Place place;

 private:
  std::string read_user(std::string_view text) {
    const std::string_view user = take_until(text, ':');
    const auto name = decode(user);
    const auto password = decode(text);
    if (!name || !password) return "a % in a user or password is not followed by two hexadecimal digits; % is %25";
    if (password->empty()) return "it names a user without a password; write user:password@ or :password@";
    place.credentials = {*name, *password};
    return {};
  }

  std::string read_socket(std::string_view authority, std::string_view path) {
    if (!authority.empty()) return "a local socket has no host, but " + quoted(authority) + " was found";
    const auto decoded = decode(path);
    if (!decoded || decoded->size() < 2) return "the path of the socket is missing";
    place.addresses.push_back({"", 0, *decoded});
    return {};
  }

  std::string read_servers(std::string_view authority, std::string_view path) {
    if (authority.empty()) return "the host is missing";
    const bool may_have_many = place.kind != Kind::kSingle;
    while (!authority.empty()) {
      const std::string_view host = may_have_many ? take_until(authority, ',') : std::exchange(authority, {});
      if (std::string why = read_host(host); !why.empty()) return why;
    }
    if (!path.empty()) path.remove_prefix(1);
    if (place.kind == Kind::kSentinel) {
      place.master = decode(take_until(path, '/')).value_or("");
      if (place.master.empty()) return "the name of the master is missing behind the sentinels";
    }
    return path.empty() ? "" : read_database(path);
  }

  std::string read_host(std::string_view text) {
    Address address;
    address.port = place.kind == Kind::kSentinel ? 26379 : 6379;
    const bool is_bracketed = text.starts_with('[');
    const size_t end = is_bracketed ? text.find(']') : std::min(text.find(':'), text.size());
    if (end == std::string_view::npos) return "the host " + quoted(text) + " has no closing bracket";
    address.host = text.substr(is_bracketed ? 1 : 0, is_bracketed ? end - 1 : end);
    const std::string_view port = text.substr(is_bracketed ? end + 1 : end);
    if (address.host.empty()) return "a host is empty";
    if (!is_bracketed && address.host.find(',') != std::string::npos) return "only one server is expected";
    if (!port.empty()) {
      const auto number = port.starts_with(':') ? read_number(port.substr(1), UINT16_MAX) : std::nullopt;
      if (!number || *number == 0) {
        return "the port of " + quoted(address.host) +
               " must be a number from 1 to 65535; IPv6 hosts stand in brackets";
      }
      address.port = static_cast<uint16_t>(*number);
    }
    place.addresses.push_back(std::move(address));
    return {};
  }

  std::string read_database(std::string_view text) {
    const auto number = read_number(text, kMostDatabases);
    if (!number) return "the database must be a number such as 0, but is " + quoted(text);
    if (*number != 0 && place.kind == Kind::kCluster) return "a Cluster has only the database 0";
    place.database = *number;
    return {};
  }

  std::string read_options(std::string_view text) {
    while (!text.empty()) {
      std::string_view value = take_until(text, '&');
      const std::string_view name = take_until(value, '=');
      if (name == "db") {
        if (std::string why = read_database(value); !why.empty()) return why;
        continue;
      }
      const bool is_user = name == "sentinel_user";
      if (place.kind != Kind::kSentinel || (!is_user && name != "sentinel_password")) {
        return "the option " + quoted(name) + " is unknown";
      }
      const auto decoded = decode(value);
      if (!decoded) return "the value of " + quoted(name) + " has a % without two hexadecimal digits";
      (is_user ? place.sentinel_credentials.user : place.sentinel_credentials.password) = *decoded;
    }
    return {};
  }

  const Scheme& scheme_;
};

}  // namespace

std::string to_text(const Address& address) {
  if (address.is_local()) return "unix:" + address.path;
  const bool is_six = address.host.find(':') != std::string::npos;
  return (is_six ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_place(std::string_view text) { return scheme_of(text) != nullptr; }

std::variant<Place, std::string> read_place(std::string_view url) {
  const Scheme* const scheme = scheme_of(url);
  if (scheme == nullptr) {
    std::string why = "the URL of Redis must begin with one of";
    for (const Scheme& known : kSchemes) why += " " + std::string(known.prefix);
    return why;
  }
  PlaceReader reader(*scheme);
  const std::string why = reader.read(url.substr(scheme->prefix.size()));
  if (!why.empty()) return "the URL of Redis cannot be read: " + why + "; its form is " + scheme->form;
  return reader.place;
}

std::string to_text(const Place& place) {
  const bool is_local = !place.addresses.empty() && place.addresses[0].is_local();
  const auto scheme = std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& known) {
    return known.kind == place.kind && known.is_encrypted == place.is_encrypted && known.is_local == is_local;
  });
  std::string text(scheme == kSchemes.end() ? "redis://" : scheme->prefix);
  for (size_t i = 0; i < place.addresses.size(); ++i) {
    text += (i > 0 ? "," : "") + (is_local ? place.addresses[i].path : to_text(place.addresses[i]));
  }
  if (!place.master.empty()) text += "/" + place.master;
  if (place.database != 0) text += (is_local ? "?db=" : "/") + std::to_string(place.database);
  return text;
}

}  // namespace sluice::redis
