// How much one step of a task does at most of what grows with its state, so that a turn of its loop
// stays short however much a partition holds. What is left is done in the next steps, which follow
// at once.
//
// Values only. The simulation makes them tiny, so that everything happens in many pieces.
#pragma once

#include <cstddef>

namespace penstock {

inline constexpr std::size_t kMaxRestoredRowsPerStep = 1024;
inline constexpr std::size_t kMaxIdlePicksPerStep = 512;  // each may have to read a row
inline constexpr std::size_t kMaxWokenLinesPerStep = 2000;

struct StepBounds {
  // Rows that a restoration visits (consumer/restoration.h).
  std::size_t restored_rows = kMaxRestoredRowsPerStep;
  // Picks that start nothing: the job is not due, or has to wait for something.
  std::size_t idle_picks = kMaxIdlePicksPerStep;
  // Lines that come back to their turns because a gate has opened, and as many because the time has
  // come until which they were blocked.
  std::size_t woken_lines = kMaxWokenLinesPerStep;
};

}  // namespace penstock
