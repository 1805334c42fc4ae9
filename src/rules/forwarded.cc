#include "rules/forwarded.h"

#include <array>

#include "rules/letter_case.h"

namespace sluice::rules {
namespace {

// Longer than any address with its port, however much of it is escaped.
constexpr size_t kLongestNode = 128;

// REQUIRES: text[i] is a quote. Whether a backslash makes it part of what is quoted.
bool is_escaped(std::string_view text, size_t i) {
  size_t backslashes = 0;
  while (backslashes < i && text[i - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// Where the first `;` is that is not quoted, or the end.
size_t end_of_pair(std::string_view text) {
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (text[i] == ';' && !is_quoted) {
      return i;
    }
  }
  return text.size();
}

std::optional<Address> address_of_node(std::string_view node) {
  if (node.empty() || node[0] != '"') return Address::parse(node);
  if (node.size() < 2 || node.back() != '"' || node.size() > kLongestNode) return std::nullopt;
  std::array<char, kLongestNode> plain;
  size_t length = 0;
  for (size_t i = 1; i + 1 < node.size(); ++i) {
    if (node[i] == '\\') ++i;
    if (i + 1 == node.size()) return std::nullopt;  // the closing quote was escaped
    plain[length++] = node[i];
  }
  return Address::parse({plain.data(), length});
}

std::optional<Address> address_of_element(std::string_view element) {
  std::optional<std::string_view> node;
  while (!element.empty()) {
    const size_t end = end_of_pair(element);
    const std::string_view pair = trimmed(element.substr(0, end));
    element.remove_prefix(end == element.size() ? end : end + 1);
    const size_t equals = pair.find('=');
    if (equals == pair.npos || !equal_ignoring_case(pair.substr(0, equals), "for")) continue;
    if (node) return std::nullopt;  // Two answers are none.
    node = pair.substr(equals + 1);
  }
  return node ? address_of_node(*node) : std::nullopt;
}

}  // namespace

std::string_view name_of(ForwardedHeader header) {
  return header == ForwardedHeader::kForwarded ? "forwarded" : "x-forwarded-for";
}

std::optional<std::string_view> Hops::next() {
  if (!line_ && !find_line()) return std::nullopt;
  const size_t comma = last_comma();
  const std::string_view hop = comma == line_->npos ? *line_ : line_->substr(comma + 1);
  if (comma == line_->npos) {
    line_.reset();
  } else {
    line_ = line_->substr(0, comma);
  }
  return trimmed(hop);
}

bool Hops::find_line() {
  while (!headers_.empty()) {
    const Field& header = headers_.back();
    headers_ = headers_.first(headers_.size() - 1);
    if (!equal_ignoring_case(header.name, name_of(header_))) continue;
    line_ = header.value;
    return true;
  }
  return false;
}

size_t Hops::last_comma() const {
  if (header_ == ForwardedHeader::kXForwardedFor) return line_->rfind(',');
  bool is_quoted = false;
  for (size_t i = line_->size(); i-- > 0;) {
    const char c = (*line_)[i];
    if (c == '"' && !is_escaped(*line_, i)) is_quoted = !is_quoted;
    if (c == ',' && !is_quoted) return i;
  }
  return std::string_view::npos;
}

std::optional<Address> address_of_hop(std::string_view hop, ForwardedHeader header) {
  return header == ForwardedHeader::kForwarded ? address_of_element(hop) : Address::parse(hop);
}

}  // namespace sluice::rules
