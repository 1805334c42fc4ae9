// Handles of reservations come from clients: whatever bytes they send, a reservation is found by its own handle, once,
// and by nothing else.
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "limiter/reservations.h"

namespace {

using sluice::Instant;
using sluice::limiter::Reservations;

constexpr Instant kNow{1'000'000'000};
constexpr Instant kExpires{2'000'000'000};
constexpr size_t kPrefix = 4;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Digits may be written large.
bool is_spelling_of(std::string_view text, std::string_view handle) {
  const auto is_same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'F' && a + ('a' - 'A') == b); };
  return text.substr(0, kPrefix) == handle.substr(0, kPrefix) &&
         std::equal(text.begin(), text.end(), handle.begin(), handle.end(), is_same);
}

}  // namespace

// The first two bytes say which part of a true handle the rest takes the place of.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Reservations reservations;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string handle = reservations.keep({}, kExpires);
  require(!reservations.take(bytes, kNow));
  std::string text = handle;
  if (size >= 2) text.replace(data[0] % (handle.size() + 1), data[1] % (handle.size() + 1), bytes.substr(2));
  const bool is_found = reservations.take(text, kNow).has_value();
  require(is_found == is_spelling_of(text, handle));
  require(reservations.take(handle, kNow).has_value() != is_found);
  require(reservations.size() == 0);
  return 0;
}
