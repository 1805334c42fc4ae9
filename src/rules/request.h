// A request as the rules see it, whichever door it came through. Views only: whoever makes it keeps the bytes alive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sluice/units.h"

namespace sluice::rules {

// A header, a query parameter or an attribute.
struct Field {
  std::string_view name;
  std::string_view value;
};

// What stands for the address of whoever connected on a local socket, and has none.
inline constexpr std::string_view kUnixPeer = "unix";

struct Request {
  std::string_view method;
  std::string_view path;  // as it was sent: a query string that is still on it is no part of the path
  std::string_view host;  // a port that is still on it does not count
  std::string_view ip;    // of whoever connected, or kUnixPeer; forwarded headers are read only if the rules trust it
  std::span<const Field> headers;     // names in any case
  std::span<const Field> query;       // decoded; names in any case
  std::span<const Field> attributes;  // what the caller passed: user_id, plan, ...
  std::optional<Tokens> cost;         // said by the caller; goes before what the rules say
};

// When a request is decided, on both clocks there are.
struct Now {
  Instant instant;      // monotonic: buckets
  int64_t unix_us = 0;  // the calendar: expiries of tokens and kill switches

  int64_t unix_seconds() const { return unix_us / 1'000'000; }
};

}  // namespace sluice::rules
