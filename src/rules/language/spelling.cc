#include "rules/language/spelling.h"

#include <algorithm>
#include <charconv>

#include "rules/path.h"
#include "rules/reader.h"

namespace sluice::rules::language {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_label_character(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

// Labels with dots between them.
bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() >= kLongestHost || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != text.npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_label_character(c) || c == '.'; });
}

std::string why_no_host(std::string_view text) {
  if (text.find("://") != text.npos) return "leave out the scheme: only the name counts";
  if (text.find('/') != text.npos) return "leave out the path: only the name counts";
  if (text.find('*') != text.npos) return "a wildcard stands for whole labels in front: *.example.com";
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(text.begin(), text.end(), is_ascii)) return "write international names as they are sent: xn--...";
  if (text.find(':') != text.npos) return "leave out the port: it does not count";
  return "a host is made of letters, digits, - and dots between them";
}

// Nothing, or what is wrong. In selectors a wildcard may be.
std::optional<Problem> why_no_host_of_condition(std::string_view text) {
  if (text.find('*') == text.npos) return std::nullopt;
  return Problem{"expected the name of a host, but found " + quote(text),
                 "wildcards are only for a policy's selector.hosts"};
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::string name_of_value(KeyKind kind) { return kind == KeyKind::kHeader ? "a header's value" : "a cookie's value"; }

Problem blank_at_end(KeyKind kind, std::string_view text) {
  return {name_of_value(kind) + " has no blanks at its ends, but this is " + quote(text), ""};
}

// What no header can have at its beginning, or anywhere; of a cookie, what would be none of its value.
std::optional<Problem> why_in_no_header(KeyKind kind, std::string_view text) {
  if (kind != KeyKind::kHeader && kind != KeyKind::kCookie) return std::nullopt;
  const std::string what = name_of_value(kind);
  if (!text.empty() && is_blank(text.front())) return blank_at_end(kind, text);
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return Problem{what + " has no line breaks or other control characters, but this is " + quote(text), ""};
  }
  if (kind == KeyKind::kCookie && text.find(';') != text.npos) {
    return Problem{what + " ends at a semicolon, but this is " + quote(text), ""};
  }
  return std::nullopt;
}

// A whole value, not the beginning of one.
Spelt spell_header_value(KeyKind kind, std::string_view text) {
  if (auto problem = why_in_no_header(kind, text)) return *std::move(problem);
  if (is_blank(text.back())) return blank_at_end(kind, text);
  if (kind == KeyKind::kCookie && text.size() > 1 && text.front() == '"' && text.back() == '"') {
    return Problem{"the quotation marks around a cookie's value are no part of it, but this is " + quote(text),
                   "leave them out"};
  }
  return std::string(text);
}

// What the name of a host can begin with: also an address in brackets.
bool begins_host(std::string_view text) {
  if (text.size() >= kLongestHost) return false;
  if (text.starts_with('[')) {
    return std::all_of(text.begin() + 1, text.end(),
                       [](char c) { return is_label_character(c) || c == ':' || c == '.' || c == ']'; });
  }
  return text.empty() || is_host_name(text.ends_with('.') ? text.substr(0, text.size() - 1) : text);
}

Spelt spell_host_prefix(std::string_view text) {
  if (auto problem = why_no_host_of_condition(text)) return *std::move(problem);
  std::string prefix(text);
  std::transform(prefix.begin(), prefix.end(), prefix.begin(), lower);
  if (begins_host(prefix)) return prefix;
  return Problem{"expected the beginning of the name of a host, but found " + quote(text), why_no_host(text)};
}

Spelt spell_method_prefix(std::string_view text) {
  if (text.empty()) return std::string();
  auto method = spell_method(text);
  if (std::holds_alternative<std::string>(method)) return method;
  return Problem{"a method is a word such as GET, but this would begin one: " + quote(text), ""};
}

Problem too_long(std::string_view text, std::string hint) {
  return {
      "a value has at most " + std::to_string(kLongestValue) + " bytes, but this has " + std::to_string(text.size()),
      std::move(hint)};
}

}  // namespace

Spelt spell_path(std::string_view text) {
  if (text.empty() || text[0] != '/') {
    return Problem{"a path must begin with /, but is " + quote(text),
                   "did you mean " + quote("/" + std::string(text)) + "?"};
  }
  if (text.find_first_of("?#") != text.npos) {
    return Problem{"a path has no query, but is " + quote(text),
                   "for query parameters there is the source query:<name>"};
  }
  if (text.find('*') != text.npos) {
    return Problem{"a path has no wildcards, but is " + quote(text), "for all below a path use a prefix"};
  }
  std::string memory;
  return std::string(normalize_path(text, memory));
}

Spelt spell_method(std::string_view text) {
  std::string method(text);
  std::transform(method.begin(), method.end(), method.begin(), upper);
  const bool is_token = !method.empty() && method.size() <= 32 &&
                        std::all_of(method.begin(), method.end(), [](char c) { return is_label_character(c); });
  if (is_token) return method;
  return Problem{"a method is a word such as GET, but is " + quote(text), "leave methods out for any"};
}

Spelt spell_host(std::string_view text) {
  std::string host(text);
  std::transform(host.begin(), host.end(), host.begin(), lower);
  if (host.ends_with('.')) host.pop_back();
  if (is_host_name(host)) return host;
  // IPv6 addresses are sent in brackets.
  if (host.size() > 2 && host.front() == '[' && host.back() == ']' && Address::parse(host)) return host;
  return Problem{"expected the name of a host, but found " + quote(text), why_no_host(text)};
}

Spelt spell_value(KeyKind kind, std::string_view text) {
  if (text.empty()) return Problem{"an empty value counts as missing: nothing would ever match", ""};
  if (text.size() > kLongestValue) return too_long(text, "prefix compares the beginning of a longer one");
  switch (kind) {
    case KeyKind::kPath: return spell_path(text);
    case KeyKind::kMethod: return spell_method(text);
    case KeyKind::kHost: {
      if (auto problem = why_no_host_of_condition(text)) return *std::move(problem);
      return spell_host(text);
    }
    case KeyKind::kHeader:
    case KeyKind::kCookie: return spell_header_value(kind, text);
    default: return std::string(text);
  }
}

Spelt spell_prefix(KeyKind kind, std::string_view text) {
  if (text.size() > kLongestValue) return too_long(text, "write a shorter beginning");
  switch (kind) {
    case KeyKind::kPath: {
      auto path = spell_path(text);
      auto* normal = std::get_if<std::string>(&path);
      if (normal != nullptr && text.ends_with('/') && !normal->ends_with('/')) *normal += '/';
      return path;
    }
    case KeyKind::kMethod: return spell_method_prefix(text);
    case KeyKind::kHost: return spell_host_prefix(text);
    default:
      if (auto problem = why_in_no_header(kind, text)) return *std::move(problem);
      return std::string(text);
  }
}

std::variant<HostPattern, Problem> parse_host_pattern(std::string_view text) {
  HostPattern pattern;
  pattern.is_wildcard = text.substr(0, 2) == "*.";
  auto name = spell_host(pattern.is_wildcard ? text.substr(2) : text);
  if (auto* problem = std::get_if<Problem>(&name)) {
    return Problem{"expected a host or *.host, but found " + quote(text), std::move(problem->hint)};
  }
  pattern.name = std::get<std::string>(std::move(name));
  return pattern;
}

std::variant<Network, Problem> parse_network(std::string_view text) {
  if (const auto network = Network::parse(text)) return *network;
  const size_t slash = text.find('/');
  const auto address = Address::parse(text.substr(0, slash));
  if (slash != text.npos && address) {
    const std::string_view written = text.substr(slash + 1);
    int bits = -1;
    std::from_chars(written.data(), written.data() + written.size(), bits);
    if (bits >= 0 && bits <= address->bits()) {
      const Network meant{address->masked(bits), bits};
      return Problem{"a network has no bits beyond its prefix, but is " + quote(text),
                     "did you mean " + quote(meant.text()) + "?"};
    }
  }
  return Problem{"expected an address or a network, but found " + quote(text),
                 "e.g. 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32"};
}

}  // namespace sluice::rules::language
