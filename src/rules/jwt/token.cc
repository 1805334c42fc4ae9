#include "rules/jwt/token.h"

#include <algorithm>
#include <utility>

#include "documents/json_reader.h"
#include "rules/jwt/base64url.h"
#include "rules/jwt/payload.h"

namespace sluice::rules::jwt {
namespace {

using documents::Kind;
using documents::Node;

constexpr size_t kLongestQuote = 40;

Refused malformed(std::string detail) { return {Refusal::kMalformed, std::move(detail)}; }

std::optional<Refused> read_header(std::string_view encoded, Token& token) {
  const auto bytes = decode_base64url(encoded);
  if (!bytes) return malformed("its header is not base64url");
  const auto parsed = documents::read_json(*bytes, kTokenBounds);
  const Node* const header = std::get_if<Node>(&parsed);
  if (header == nullptr || header->kind != Kind::kObject) return malformed("its header is not a JSON object");
  if (says_a_thing_twice(*header)) return malformed("its header has a field twice");
  if (header->find("crit") != nullptr) return Refused{Refusal::kCritical, ""};
  const Node* const algorithm = header->find("alg");
  if (algorithm == nullptr || algorithm->kind != Kind::kString) return malformed("its header has no `alg`");
  token.algorithm = algorithm->text;
  const Node* const key_id = header->find("kid");
  if (key_id == nullptr) return std::nullopt;
  if (key_id->kind != Kind::kString) return malformed("the `kid` of its header is not a string");
  token.key_id = key_id->text;
  return std::nullopt;
}

}  // namespace

std::variant<Token, Refused> split_token(std::string_view text) {
  if (text.size() > kLongestToken) return Refused{Refusal::kTooLong, ""};
  const auto dots = std::count(text.begin(), text.end(), '.');
  if (dots == 4) return malformed("it is encrypted (JWE), and only signed tokens (JWS) can be read");
  if (dots != 2) return malformed("it has not the three parts of a signed token");
  const size_t first = text.find('.');
  const size_t second = text.rfind('.');
  Token token;
  token.signed_part = text.substr(0, second);
  token.payload = text.substr(first + 1, second - first - 1);
  token.signature = text.substr(second + 1);
  if (auto refused = read_header(text.substr(0, first), token)) return std::move(*refused);
  return token;
}

std::string quoted(std::string_view text) {
  std::string quote = "'";
  for (const char c : text.substr(0, kLongestQuote)) {
    const bool is_plain = c >= 0x20 && c < 0x7f;
    quote += is_plain ? c : '?';
  }
  return quote + (text.size() > kLongestQuote ? "...'" : "'");
}

}  // namespace sluice::rules::jwt
