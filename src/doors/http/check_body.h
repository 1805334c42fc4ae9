// What the body of /v1/check asks: a bucket that the caller names, or a request by the rules. Keeps its memory for the
// next. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "documents/json_tape.h"
#include "doors/request_json.h"
#include "limiter/worker.h"

namespace sluice::doors::http {

// One of the two. Views into the tape it was read from, and into itself.
class CheckBody {
 public:
  CheckBody() = default;
  CheckBody(const CheckBody&) = delete;
  CheckBody& operator=(const CheckBody&) = delete;

  // What a body is for: only one that reserves may say for how long.
  enum class Use : uint8_t { kCheck, kReserve };
  static constexpr Duration kUsualTime = Duration::seconds(60);
  static constexpr Duration kLongestTime = Duration::seconds(3600);

  // {"key", "rate", "burst", "cost"} or {"request", "cost"}, with `ttl_ms` for kReserve; `cost` and `ttl_ms` may be
  // left out. Returns what is wrong first: which field, what was found, what was expected.
  std::optional<std::string> read(documents::TapeValue value, Use use = Use::kCheck);

  // REQUIRES: the last read() found nothing wrong, of both.
  bool is_named() const { return named_.limit != nullptr; }
  const limiter::NamedBucket& named() const { return named_; }
  const rules::Request& request() const { return memory_.request; }
  // How long a reservation lasts.
  Duration time() const { return time_; }

 private:
  friend class CheckBodyReader;

  Limit limit_;
  limiter::NamedBucket named_;
  RequestMemory memory_;
  Duration time_;
};

}  // namespace sluice::doors::http
