#include "doors/access.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

namespace sluice::doors {
namespace {

// In lower case; the header's may be in any.
constexpr std::string_view kScheme = "bearer ";

bool is_scheme(std::string_view text) {
  return std::equal(text.begin(), text.end(), kScheme.begin(), kScheme.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

}  // namespace

Access::Access(std::string_view token) : expected_(digest(token)) {}

bool Access::allows(std::string_view token) const {
  if (!expected_) return true;
  const Digest got = digest(token);
  return CRYPTO_memcmp(got.data(), expected_->data(), got.size()) == 0;
}

bool Access::allows_bearer(std::string_view authorization) const {
  if (!expected_) return true;
  if (authorization.size() <= kScheme.size() || !is_scheme(authorization.substr(0, kScheme.size()))) return false;
  std::string_view token = authorization.substr(kScheme.size());
  token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
  return allows(token);
}

Access::Digest Access::digest(std::string_view token) {
  Digest digest{};
  EVP_Digest(token.data(), token.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

}  // namespace sluice::doors
