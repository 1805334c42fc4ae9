// How many keys a benchmark may use. SLUICE_BENCH_MAX_KEYS lowers it, so that the tests can run every benchmark small.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sluice::bench {

constexpr uint64_t kFewestKeys = 1000;
constexpr uint64_t kMostKeys = 10'000'000;

// Ends the program if the variable holds anything else than a number from kFewestKeys on.
inline uint64_t max_keys() {
  const char* variable = std::getenv("SLUICE_BENCH_MAX_KEYS");
  if (variable == nullptr) return kMostKeys;
  const std::string_view text(variable);
  uint64_t keys = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), keys);
  if (error != std::errc() || end != text.data() + text.size() || keys < kFewestKeys) {
    std::fprintf(stderr, "SLUICE_BENCH_MAX_KEYS: '%s' is not a number of at least 1000; correct or unset it\n",
                 variable);
    std::exit(2);
  }
  return std::min(keys, kMostKeys);
}

}  // namespace sluice::bench
