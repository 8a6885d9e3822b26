// How much one turn of a loop does at most of what grows with the state of its partitions, so that
// it stays short however much they hold, and however many they are. What is left is done in the
// next turns, which follow at once.
//
// Values only. The simulation makes them tiny, so that everything happens in many pieces.
#pragma once

#include <cstddef>

namespace penstock {

inline constexpr std::size_t kMaxRestoredRowsPerStep = 1024;
inline constexpr std::size_t kMaxIdlePicksPerStep = 512;  // each may have to read a row
inline constexpr std::size_t kMaxWokenLinesPerStep = 2000;

struct StepBounds {
  // Rows that a restoration visits (consumer/task/restoration.h).
  std::size_t restored_rows = kMaxRestoredRowsPerStep;
  // Picks that start nothing: the job is not due, or has to wait for something.
  std::size_t idle_picks = kMaxIdlePicksPerStep;
  // Lines that come back to their turns because a gate has opened, and as many because the time has
  // come until which they were blocked.
  std::size_t woken_lines = kMaxWokenLinesPerStep;
};

// What is left of a turn's bounds: of all tasks of a loop together.
struct StepBudget {
  std::size_t idle_picks = 0, woken_lines = 0, unblocked_lines = 0;

  StepBudget() = default;
  explicit StepBudget(const StepBounds& bounds)
      : idle_picks(bounds.idle_picks),
        woken_lines(bounds.woken_lines),
        unblocked_lines(bounds.woken_lines) {}
  [[nodiscard]] bool is_spent() const {
    return idle_picks == 0 || woken_lines == 0 || unblocked_lines == 0;
  }
};

}  // namespace penstock
