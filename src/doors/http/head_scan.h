// Finds where the head of a request ends, in bytes that come in pieces: each is looked at once, however small the
// pieces are. Sees what a parser of whole heads would see too late: lines that never end, or end otherwise than they
// must.
#pragma once

#include <cstdint>
#include <string_view>

#include "doors/http/fault.h"
#include "doors/http/limits.h"

namespace sluice::doors::http {

class HeadScan {
 public:
  // `bytes` start where the request does, and are at least those of the call before. kNone also while it goes on.
  Fault look(std::string_view bytes, const Limits& limits);

  bool is_done() const { return size_ > 0; }
  // With the empty line. REQUIRES: is_done().
  size_t size() const { return size_; }

 private:
  Fault end_line(std::string_view bytes, size_t newline, const Limits& limits);

  uint32_t looked_at_ = 0;
  uint32_t line_start_ = 0;
  uint32_t lines_ = 0;
  uint32_t size_ = 0;
};

}  // namespace sluice::doors::http
