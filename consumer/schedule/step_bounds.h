// Bounds on the work in one pass of a loop that grows with the state of its partitions, so that a
// pass stays short regardless of how much they hold and how many they are. What is left is done in
// the next passes, which follow at once.
//
// Values only. The simulation makes them tiny, so that everything happens in many steps.
#pragma once

#include <cstddef>

namespace penstock {

inline constexpr std::size_t kMaxRestoredRowsPerStep = 1024;
inline constexpr std::size_t kMaxIdlePicksPerStep = 512;  // each may have to read a row
inline constexpr std::size_t kMaxWokenLinesPerStep = 2000;
// Live jobs wait for a pass to end. A job whose time has come is read, moved and written anew.
inline constexpr std::size_t kMaxDuePerStep = 256;
inline constexpr std::size_t kMaxScannedPerStep = 1024;
inline constexpr std::size_t kMaxCopiesPerStep = 128;

struct StepBounds {
  // Rows that a restoration visits (consumer/task/restoration.h).
  std::size_t restored_rows = kMaxRestoredRowsPerStep;
  // Picks that start nothing: the job is not due, or has to wait for something.
  std::size_t idle_picks = kMaxIdlePicksPerStep;
  // Lines that become ready because a gate has opened, and as many again because the time until
  // which they were blocked has come.
  std::size_t woken_lines = kMaxWokenLinesPerStep;
  // Jobs whose time has come (retries, schedules) that are put into their lines.
  std::size_t due = kMaxDuePerStep;
  // Records that replays look at, copies that they make, and as many again that start.
  std::size_t scanned = kMaxScannedPerStep;
  std::size_t copies = kMaxCopiesPerStep;
};

// What is left of the bounds of a pass, for all tasks of a loop together.
struct StepBudget {
  std::size_t idle_picks = 0, woken_lines = 0, unblocked_lines = 0, due = 0;
  std::size_t scanned = 0, copies_made = 0, copies_started = 0;

  StepBudget() = default;
  explicit StepBudget(const StepBounds& bounds)
      : idle_picks(bounds.idle_picks),
        woken_lines(bounds.woken_lines),
        unblocked_lines(bounds.woken_lines),
        due(bounds.due),
        scanned(bounds.scanned),
        copies_made(bounds.copies),
        copies_started(bounds.copies) {}
  [[nodiscard]] bool is_spent() const {
    return idle_picks == 0 || woken_lines == 0 || unblocked_lines == 0 || due == 0 ||
           copies_started == 0;
  }
};

}  // namespace penstock
