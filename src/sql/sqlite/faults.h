// What SQLite answers, as sentences for people. Pure functions.
#pragma once

#include <string>

#include "sql/outcome.h"

namespace sluice::sql::sqlite {

struct Failure {
  int code = 0;         // extended
  int system_code = 0;  // errno of the call below it, where there was one
  std::string words;    // SQLite's own
};

// Whether an errno says that there is no room: on the disk, in a quota, or for a file as long as that.
bool is_no_room(int system_code);

Fault fault_of(const std::string& file, const Failure& failure);

// Why `file` cannot be opened, looked up on the disk, where SQLite only says that it cannot.
Fault fault_of_opening(const std::string& file, const Failure& failure);

}  // namespace sluice::sql::sqlite
