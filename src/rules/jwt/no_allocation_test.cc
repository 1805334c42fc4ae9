// A program of its own: it counts every allocation there is.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "rules/jwt/jwt_testing.h"
#include "rules/jwt/verified_claims.h"

namespace {

std::atomic<uint64_t> allocations{0};

}  // namespace

// All of them: a sanitizer would bring its own for those that are missing here.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void* operator new(size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes, std::nothrow); }
void* operator new[](size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace sluice::rules::jwt {
namespace {

TEST(NoAllocation, ARememberedTokenCostsNoneWhetherItHoldsOrNot) {
  VerifiedClaims claims(verifier_of({hs256().key}));
  const std::string good = hs256().token(R"({"plan":"pro","org":{"id":7}})");
  const std::string forged = Issuer::hs256("", std::string(32, 'f')).token("{}");
  const std::string expired = hs256().token(R"({"exp":1})");
  for (const std::string* token : {&good, &forged, &expired}) claims.claims_of(*token, kNow);
  const uint64_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    for (const std::string* token : {&good, &forged, &expired}) claims.claims_of(*token, kNow);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(claims.counts().verified, 3u);
}

}  // namespace
}  // namespace sluice::rules::jwt
