// PENSTOCK_CHECK: a violated condition can only be a bug and ends the process, in release builds
// too, with the place and the reason. A partition whose invariants do not hold must not write
// another commit.
#pragma once

#include <cstdio>
#include <cstdlib>

#define PENSTOCK_CHECK(condition, reason)                                                   \
  do {                                                                                      \
    if (!(condition)) [[unlikely]] {                                                        \
      std::fprintf(stderr, "penstock: bug at %s:%d: %s (%s)\n", __FILE__, __LINE__, reason, \
                   #condition);                                                             \
      std::abort();                                                                         \
    }                                                                                       \
  } while (false)
