#include "doors/admin/preconditions.h"

#include <algorithm>

namespace sluice::doors::admin {
namespace {

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size())); }

}  // namespace

bool Tags::has(std::string_view tag) const { return is_any || std::find(tags.begin(), tags.end(), tag) != tags.end(); }

bool Tags::has_weakly(std::string_view tag) const {
  return has(tag) || std::find(weak.begin(), weak.end(), tag) != weak.end();
}

std::variant<Tags, std::string> parse_tags(std::string_view field_name, std::string_view value) {
  Tags tags;
  if (value == "*") {
    tags.is_any = true;
    return tags;
  }
  for (skip_blanks(value); !value.empty(); skip_blanks(value)) {
    const bool is_weak = value.starts_with("W/");
    if (is_weak) value.remove_prefix(2);
    const size_t end = value.starts_with('"') ? value.find('"', 1) : value.npos;
    if (end == value.npos) {
      return std::string(field_name) + " must be * or tags in quotation marks, as ETag has them: \"3\".";
    }
    (is_weak ? tags.weak : tags.tags).emplace_back(value.substr(1, end - 1));
    value.remove_prefix(end + 1);
  }
  return tags;
}

std::string quoted_tag(std::string_view tag) { return '"' + std::string(tag) + '"'; }

}  // namespace sluice::doors::admin
