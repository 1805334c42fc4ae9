// Counts every allocation of the test program that links it: count.cc replaces operator new.
#pragma once

#include <cstdint>

namespace sluice::testing {

// Of this thread, since it began.
uint64_t allocations();

}  // namespace sluice::testing
