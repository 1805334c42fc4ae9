// How large a request may be. What is larger is refused with its own status, and the connection closed.
#pragma once

#include <cstddef>

namespace sluice::doors::http {

struct Limits {
  size_t header_bytes = size_t{16} << 10;  // the request line and all fields: 431
  size_t body_bytes = size_t{1} << 20;     // decoded: 413
  size_t fields = 100;                     // 431
  size_t target_bytes = size_t{8} << 10;   // 414

  // What chunks may add to a body: their sizes, extensions and trailers.
  size_t encoded_bytes() const { return 2 * body_bytes + header_bytes; }
};

}  // namespace sluice::doors::http
