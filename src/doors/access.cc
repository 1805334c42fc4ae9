#include "doors/access.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <utility>

namespace sluice::doors {
namespace {

// In lower case; the header's may be in any.
constexpr std::string_view kScheme = "bearer ";

bool is_scheme(std::string_view text) {
  return std::equal(text.begin(), text.end(), kScheme.begin(), kScheme.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

}  // namespace

Access::Access(std::string_view token, std::string name) { add(token, std::move(name)); }

void Access::add(std::string_view token, std::string name) { expected_.push_back({digest(token), std::move(name)}); }

bool Access::allows(std::string_view token) const { return expected_.empty() || find(token) != nullptr; }

bool Access::allows_bearer(std::string_view authorization) const {
  return expected_.empty() || owner_of_bearer(authorization) != nullptr;
}

const std::string* Access::owner_of_bearer(std::string_view authorization) const {
  if (authorization.size() <= kScheme.size() || !is_scheme(authorization.substr(0, kScheme.size()))) return nullptr;
  std::string_view token = authorization.substr(kScheme.size());
  token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
  const Expected* const found = find(token);
  return found == nullptr ? nullptr : &found->name;
}

// Compares with all of them, so that the time does not tell which it is.
const Access::Expected* Access::find(std::string_view token) const {
  const Digest got = digest(token);
  const Expected* found = nullptr;
  for (const Expected& expected : expected_) {
    if (CRYPTO_memcmp(got.data(), expected.digest.data(), got.size()) == 0) found = &expected;
  }
  return found;
}

Access::Digest Access::digest(std::string_view token) {
  Digest digest{};
  EVP_Digest(token.data(), token.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

}  // namespace sluice::doors
