// How many random cases each property plays, unless RC_PARAMS says otherwise: RC_PARAMS=max_success=100000.
#include <stdlib.h>

namespace {

[[maybe_unused]] const int set_before_main = setenv("RC_PARAMS", "max_success=1000", 0);

}  // namespace
