#include "doors/http/message.h"

#include "rules/letter_case.h"

namespace sluice::doors::http {

std::string_view Request::field(std::string_view name) const {
  for (const Field& field : fields) {
    if (rules::equal_ignoring_case(field.name, name)) return field.value;
  }
  return {};
}

}  // namespace sluice::doors::http
