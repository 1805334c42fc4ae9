// If-Match and If-None-Match (RFC 9110): which version of something a request is meant for.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::doors::admin {

struct Tags {
  bool is_any = false;            // `*`
  std::vector<std::string> tags;  // without their quotation marks
  std::vector<std::string> weak;  // likewise: W/"7", as a proxy that compresses writes them

  // What a change is meant for: weak ones do not count.
  bool has(std::string_view tag) const;
  // What a client has: weak ones do.
  bool has_weakly(std::string_view tag) const;
};

// Of the value of a field. The text is what is wrong with it.
std::variant<Tags, std::string> parse_tags(std::string_view field_name, std::string_view value);

// `"7"`, as the field ETag has it.
std::string quoted_tag(std::string_view tag);

}  // namespace sluice::doors::admin
