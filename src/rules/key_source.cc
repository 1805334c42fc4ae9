#include "rules/key_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

#include "rules/letter_case.h"

namespace sluice::rules {
namespace {

constexpr size_t kLongestName = 256;
constexpr size_t kLongestQuote = 60;
constexpr int kWholeIpv4 = 32;
constexpr int kWholeIpv6 = 128;
constexpr int kUsualIpv6 = 64;

enum class Naming : uint8_t { kNone, kAddress, kToken, kTokenAnyCase, kText, kTextAnyCase };

struct Row {
  std::string_view word;
  KeyKind kind;
  Naming naming;
  std::string_view example;
};

constexpr Row kRows[] = {
    {"ip", KeyKind::kIp, Naming::kAddress, "ip:address"},
    {"header", KeyKind::kHeader, Naming::kTokenAnyCase, "header:x-api-key"},
    {"query", KeyKind::kQuery, Naming::kTextAnyCase, "query:api_key"},
    {"cookie", KeyKind::kCookie, Naming::kToken, "cookie:session"},
    {"jwt", KeyKind::kJwt, Naming::kText, "jwt:sub"},
    {"attr", KeyKind::kAttribute, Naming::kText, "attr:user_id"},
    {"path", KeyKind::kPath, Naming::kNone, "path"},
    {"method", KeyKind::kMethod, Naming::kNone, "method"},
    {"host", KeyKind::kHost, Naming::kNone, "host"},
};

// As HTTP lets header fields and cookies be named.
bool is_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
  });
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

bool is_good_name(Naming naming, std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  const bool needs_token = naming == Naming::kToken || naming == Naming::kTokenAnyCase;
  return needs_token ? is_token(name) : is_text(name);
}

const Row* find_row(std::string_view word) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.word == word; });
  return row == std::end(kRows) ? nullptr : row;
}

std::optional<int> parse_bits(std::string_view text) {
  int bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size() || text[0] == '0' || bits < 1) return std::nullopt;
  return bits;
}

// What stands behind `ip:`.
std::optional<KeySource> parse_address_source(std::string_view text) {
  constexpr std::string_view kWord = "address";
  if (!text.starts_with(kWord)) return std::nullopt;
  text.remove_prefix(kWord.size());
  if (text.empty()) return KeySource{};
  if (text[0] != '/') return std::nullopt;
  const size_t second = text.find('/', 1);
  const auto first_bits = parse_bits(text.substr(1, second == text.npos ? text.npos : second - 1));
  if (!first_bits || *first_bits > kWholeIpv6) return std::nullopt;
  int v4 = std::min(*first_bits, kWholeIpv4);
  int v6 = *first_bits > kWholeIpv4 ? *first_bits : kUsualIpv6;
  if (second != text.npos) {
    const auto second_bits = parse_bits(text.substr(second + 1));
    if (!second_bits || *first_bits > kWholeIpv4 || *second_bits > kWholeIpv6) return std::nullopt;
    v4 = *first_bits;
    v6 = *second_bits;
  }
  return KeySource{KeyKind::kIp, "", static_cast<uint8_t>(v4), static_cast<uint8_t>(v6)};
}

std::string address_text(const KeySource& source) {
  const std::string v4 = std::to_string(source.ipv4_bits);
  const std::string v6 = std::to_string(source.ipv6_bits);
  if (source.ipv4_bits == kWholeIpv4 && source.ipv6_bits == kWholeIpv6) return "ip:address";
  if (source.ipv4_bits == kWholeIpv4 && source.ipv6_bits > kWholeIpv4) return "ip:address/" + v6;
  if (source.ipv6_bits == kUsualIpv6) return "ip:address/" + v4;
  return "ip:address/" + v4 + "/" + v6;
}

// How many characters must be put in, taken out or changed.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (to_lower(a[i]) == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

const Row* nearest_row(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
      {"address", "ip"}, {"attribute", "attr"}, {"claim", "jwt"},   {"uri", "path"},
      {"url", "path"},   {"param", "query"},    {"domain", "host"}, {"verb", "method"}};
  for (const auto& [other, ours] : kOtherWords) {
    if (distance(word, other) <= 1) return find_row(ours);
  }
  const auto nearer = [&](const Row& a, const Row& b) { return distance(word, a.word) < distance(word, b.word); };
  const Row* row = std::min_element(std::begin(kRows), std::end(kRows), nearer);
  return distance(word, row->word) <= std::max<size_t>(1, row->word.size() / 2) ? row : nullptr;
}

std::string quote(std::string_view text) {
  const bool is_long = text.size() > kLongestQuote;
  std::string quoted = "'" + std::string(text.substr(0, kLongestQuote)) + (is_long ? "...'" : "'");
  std::replace_if(
      quoted.begin(), quoted.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return quoted;
}

std::string explain_bad_name(const Row& row, std::string_view text) {
  const size_t colon = text.find(':');
  const std::string example = " such as '" + std::string(row.example) + "'";
  if (row.naming == Naming::kNone) return quote(text) + " takes no name; write '" + std::string(row.word) + "'";
  if (row.naming == Naming::kAddress) {
    return quote(text) + " is no address source; expected 'ip:address', or with how many bits of it count: " +
           "'ip:address/24' (of IPv4), 'ip:address/56' (of IPv6) or 'ip:address/24/56'";
  }
  if (colon == text.npos || colon + 1 == text.size()) return quote(text) + " lacks a name; expected one" + example;
  if (text.size() - colon - 1 > kLongestName) {
    return quote(text) + " has a name of more than " + std::to_string(kLongestName) + " bytes";
  }
  const bool needs_token = row.naming == Naming::kToken || row.naming == Naming::kTokenAnyCase;
  return quote(text) + " has characters that no such name can have; expected " +
         (needs_token ? "letters, digits and -_.~" : "no blanks and no control characters") + "," + example;
}

}  // namespace

std::optional<KeySource> KeySource::parse(std::string_view text) {
  const size_t colon = text.find(':');
  const Row* row = find_row(text.substr(0, colon));
  if (row == nullptr || (colon == text.npos) != (row->naming == Naming::kNone)) return std::nullopt;
  if (row->naming == Naming::kNone) return KeySource{row->kind, ""};
  const std::string_view rest = text.substr(colon + 1);
  if (row->naming == Naming::kAddress) return parse_address_source(rest);
  if (!is_good_name(row->naming, rest)) return std::nullopt;
  KeySource source{row->kind, std::string(rest)};
  if (row->naming == Naming::kTokenAnyCase || row->naming == Naming::kTextAnyCase) {
    std::transform(source.name.begin(), source.name.end(), source.name.begin(), to_lower);
  }
  return source;
}

std::string KeySource::text() const {
  if (kind == KeyKind::kIp) return address_text(*this);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.kind == kind; });
  return row->naming == Naming::kNone ? std::string(row->word) : std::string(row->word) + ":" + name;
}

std::string explain_bad_source(std::string_view text) {
  const std::string_view word = text.substr(0, std::min(text.find(':'), kLongestQuote));
  if (const Row* row = find_row(word)) return explain_bad_name(*row, text);
  std::string message = quote(text) + " is no source of a value; expected ";
  if (const Row* row = nearest_row(word)) {
    const size_t colon = text.find(':');
    const bool keeps_name = row->naming > Naming::kAddress && colon != text.npos && colon + 1 < text.size();
    return message + "'" +
           (keeps_name ? std::string(row->word) + std::string(text.substr(colon, kLongestQuote))
                       : std::string(row->example)) +
           "'?";
  }
  return message +
         "ip:address, header:<name>, query:<name>, cookie:<name>, jwt:<claim>, attr:<name>, path, method or host";
}

}  // namespace sluice::rules
