#include "rules/jwt/token_hash.h"

#include <sys/random.h>

namespace sluice::rules::jwt {

TokenHash::TokenHash() : secret_() {
  auto* const bytes = reinterpret_cast<char*>(secret_.data());
  size_t filled = 0;
  for (int tries = 0; filled < sizeof(secret_) && tries < 100; ++tries) {
    const ssize_t got = getrandom(bytes + filled, sizeof(secret_) - filled, 0);
    if (got > 0) filled += static_cast<size_t>(got);
  }
}

}  // namespace sluice::rules::jwt
