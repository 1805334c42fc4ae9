// What a request asks for: `/path?query`, or `http://host/path?query` as proxies are asked.
#pragma once

#include <string_view>

namespace sluice::doors::http {

// Views into the text that was split.
struct Target {
  std::string_view host;   // with its port; empty where the text has none
  std::string_view path;   // as it was sent; `/` where there is none
  std::string_view query;  // what stands behind the first `?`, not decoded
};

Target split_target(std::string_view text);

}  // namespace sluice::doors::http
