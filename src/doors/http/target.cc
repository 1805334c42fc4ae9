#include "doors/http/target.h"

#include <algorithm>

namespace sluice::doors::http {
namespace {

// `http://` and the like. What begins with a slash is a path, whatever follows.
size_t scheme_size(std::string_view text) {
  if (text.empty() || text.front() == '/') return 0;
  const size_t colon = text.find("://");
  return colon < text.find_first_of("/?#") ? colon + 3 : 0;
}

}  // namespace

Target split_target(std::string_view text) {
  Target target;
  if (const size_t scheme = scheme_size(text); scheme > 0) {
    text.remove_prefix(scheme);
    target.host = text.substr(0, text.find_first_of("/?#"));
    text.remove_prefix(target.host.size());
    target.host.remove_prefix(std::min(target.host.find('@') + 1, target.host.size()));
  }
  text = text.substr(0, text.find('#'));
  const size_t mark = text.find('?');
  target.path = text.substr(0, mark);
  if (mark != text.npos) target.query = text.substr(mark + 1);
  if (target.path.empty()) target.path = "/";
  return target;
}

}  // namespace sluice::doors::http
