// A request of HTTP as its handler sees it. Views into the bytes that came: they end with the call.
#pragma once

#include <span>
#include <string_view>

#include "doors/http/target.h"

namespace sluice::doors::http {

struct Field {
  std::string_view name;  // in any case
  std::string_view value;
};

struct Request {
  std::string_view method;
  Target target;
  std::string_view host;  // of the target if that has one, else of the Host field
  std::span<const Field> fields;
  std::string_view body;

  // The value of the first field of this name, in any case; empty where there is none.
  std::string_view field(std::string_view name) const;
};

}  // namespace sluice::doors::http
