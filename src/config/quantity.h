// Amounts of memory and of time, as people write them: `256MiB`, `64k`, `75s`, `1h30m`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "config/fault.h"

namespace sluice::config {

struct Bytes {
  uint64_t count = 0;

  friend bool operator==(const Bytes&, const Bytes&) = default;
};

// A whole number, and `k`, `m`, `g` (or `KiB`, `MiB`, `GiB`: all are powers of 1024), or `B` or nothing for bytes. In
// any case; a space may stand between.
std::variant<Bytes, Problem> parse_bytes(std::string_view text);
// In the largest unit that divides it: "256MiB".
std::string text_of(Bytes bytes);

// Whole numbers, each with its unit: `ms`, `s`, `m`, `h` or `d`, the larger first. Only 0 needs none.
std::variant<std::chrono::milliseconds, Problem> parse_duration(std::string_view text);
// "1h30m", "0".
std::string text_of(std::chrono::milliseconds duration);

}  // namespace sluice::config
