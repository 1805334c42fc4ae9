// What `sluice serve --demo` serves, and what it tells people to try.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/endpoint.h"

namespace sluice::cli {

// Rules small enough to be felt by hand.
std::string_view demo_rules();

// Where the doors of a server are open, the first of each.
struct DemoDoors {
  std::string http;
  net::Endpoint resp;
  std::string admin;
};

// Lines to type, each with what it does.
std::string demo_guide(const DemoDoors& doors);

}  // namespace sluice::cli
