// What is wrong with settings, as people are told.
#pragma once

#include <string>

namespace sluice::config {

// What is wrong with a value, before it is known whose it is.
struct Problem {
  std::string message;  // "must be ..., but is ..."
  std::string hint;     // may be empty
};

struct Fault {
  std::string where;    // "sluice.yaml:3:11", "SLUICE_HTTP_LISTEN", "--http-listen"
  std::string message;  // "http.listen must be ..., but is 'x'"
  std::string hint;     // may be empty
};

// "sluice.yaml:3:11: http.listen must be ..., but is 'x'\n  hint: ..."
std::string describe(const Fault& fault);

}  // namespace sluice::config
