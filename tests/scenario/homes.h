// The registry of homes: every scenario is replayed in each of them.
#pragma once

#include <memory>
#include <span>

#include "scenario/home.h"

namespace sluice::scenario {

struct HomeEntry {
  const char* name;  // letters and digits, as it becomes part of a test's name
  std::unique_ptr<Home> (*make)();
};

std::span<const HomeEntry> homes();

}  // namespace sluice::scenario
