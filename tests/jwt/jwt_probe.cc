// The verifier as a program: `jwt_probe ALGORITHM KEY_FILE NOW < TOKEN` prints a claim on each line, name and value
// with a tab between them, or fails and says why not.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "rules/jwt/verified_claims.h"

namespace {

using namespace sluice::rules;

std::string rest_of(std::istream& from) { return {std::istreambuf_iterator<char>(from), {}}; }

JwtAlgorithm algorithm_named(const std::string& name) {
  if (name == "RS256") return JwtAlgorithm::kRs256;
  return name == "ES256" ? JwtAlgorithm::kEs256 : JwtAlgorithm::kHs256;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  std::ifstream key_file(words[2], std::ios::binary);
  JwtSettings settings;
  settings.keys = {{algorithm_named(words[1]), "", rest_of(key_file)}};
  const auto made = jwt::Verifier::create(settings);
  if (const auto* faults = std::get_if<std::vector<jwt::KeyFault>>(&made)) {
    for (const auto& fault : *faults) std::cerr << fault.message << "\n";
    return 2;
  }
  jwt::VerifiedClaims source(std::get<std::shared_ptr<const jwt::Verifier>>(made));
  const Claims* const claims = source.claims_of(rest_of(std::cin), std::atoll(words[3]));
  if (claims == nullptr) {
    std::cerr << source.why_not() << "\n";
    return 1;
  }
  for (const auto& [name, value] : claims->values) std::cout << name << "\t" << value << "\n";
  return 0;
}
