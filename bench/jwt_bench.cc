// Tokens: what a remembered one costs, and what it costs to verify one by each algorithm.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "rules/jwt/jwt_testing.h"
#include "rules/jwt/verified_claims.h"

namespace sluice::bench {
namespace {

using namespace rules::jwt;

// As identity providers make them: some 600 bytes with RS256.
std::string payload_of(int64_t user) {
  return R"({"iss":"https://id.example.com/","aud":["api","web"],"sub":"user-)" + std::to_string(user) +
         R"(","exp":1900000000,"iat":1800000000,"plan":"enterprise","org":{"id":)" + std::to_string(user % 97) +
         R"(,"name":"Example"},"scope":"read write"})";
}

// As many tokens in turn as the argument says.
void jwt_cache_hit(benchmark::State& state) {
  VerifiedClaims claims(verifier_of({rs256().key, hs256().key}));
  std::vector<std::string> tokens;
  for (int64_t user = 0; user < state.range(0); ++user) {
    const Issuer& issuer = state.range(0) == 1 ? rs256() : hs256();
    tokens.push_back(issuer.token(payload_of(user)));
    claims.claims_of(tokens.back(), kNow);
  }
  uint64_t held = 0;
  size_t next = 0;
  for (auto _ : state) {
    held += claims.claims_of(tokens[next], kNow) != nullptr ? 1 : 0;
    next = next + 1 == tokens.size() ? 0 : next + 1;
  }
  state.counters["held"] = static_cast<double>(held) / static_cast<double>(state.iterations());
  state.counters["bytes"] = static_cast<double>(tokens.front().size());
}

void verify(benchmark::State& state, const Issuer& issuer) {
  const auto verifier = verifier_of({issuer.key});
  const std::string token = issuer.token(payload_of(42));
  uint64_t held = 0;
  for (auto _ : state) held += verifier->verify(token).refused.why == Refusal::kNone ? 1 : 0;
  state.counters["held"] = static_cast<double>(held) / static_cast<double>(state.iterations());
}

void jwt_verify_hs256(benchmark::State& state) { verify(state, hs256()); }
void jwt_verify_rs256(benchmark::State& state) { verify(state, rs256()); }
void jwt_verify_es256(benchmark::State& state) { verify(state, es256()); }

BENCHMARK(jwt_cache_hit)->Arg(1)->Arg(1000);
BENCHMARK(jwt_verify_hs256);
BENCHMARK(jwt_verify_rs256);
BENCHMARK(jwt_verify_es256);

}  // namespace
}  // namespace sluice::bench
