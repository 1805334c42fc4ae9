// What the shared library shows to programs that link it; all else in it is hidden. Also read by C compilers.
#pragma once

#if defined(__GNUC__) && __STDC_HOSTED__
#define SLUICE_EXPORT __attribute__((visibility("default")))
#else
#define SLUICE_EXPORT
#endif
