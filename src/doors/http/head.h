// The head of a request: its first line and its fields, read by Boost.Beast, and what they say of the body. Strict
// where being lenient lets two servers see two different requests in the same bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "doors/http/fault.h"
#include "doors/http/limits.h"
#include "doors/http/message.h"

namespace sluice::doors::http {

enum class Framing : uint8_t { kNone, kLength, kChunked };

struct Head {
  std::string_view method;
  std::string_view target;
  std::string_view host;  // of the Host field
  bool is_http11 = false;
  bool keeps_open = false;
  bool expects_continue = false;
  Framing framing = Framing::kNone;
  uint64_t content_length = 0;

  bool has_body() const { return framing == Framing::kChunked || content_length > 0; }
};

// `text` is a whole head, with the empty line. Replaces what is in `fields`; both view into it. When it is anything but
// kNone, neither means anything.
Fault parse_head(std::string_view text, const Limits& limits, std::vector<Field>& fields, Head& head);

}  // namespace sluice::doors::http
