// The script with another clock, for tests: see given_clock_testing.lua.
#pragma once

#include <string_view>

namespace sluice::redis_store {

std::string_view script_at_given_time_text();
std::string_view script_at_given_time_sha1();

}  // namespace sluice::redis_store
