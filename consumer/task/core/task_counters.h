// What a partition's task has counted since its tenure began.
//
// The counters of the first group are changes of the state: if a tenure is dropped, those that no
// commit contains are undone, and the next tenure repeats and counts them. What those of the second
// group count has happened, whether it was recorded or not.
#pragma once

#include <cstdint>
#include <string>

namespace penstock {

struct TaskCounters {
  std::uint64_t admitted = 0, succeeded = 0, dead = 0, cancelled = 0, duplicate = 0, expired = 0,
                bad = 0, forwarded = 0, commands = 0, commands_without_job = 0,
                messages_ignored = 0, slot_reports = 0, slot_targets = 0,
                message_jumps = 0,  // over messages that were removed before they were taken
      messages_missed = 0;          // left out by those jumps (state/log/arrivals.h)
  std::uint64_t started = 0, failed = 0, snoozed = 0,
                uncounted_failures = 0;  // by a breaker (consumer/gates/breakers.h)

  TaskCounters& operator+=(const TaskCounters& other);
  // This object's first group with the second group of `happened`.
  [[nodiscard]] TaskCounters recorded_of(const TaskCounters& happened) const;
};

// For a worker's last line in the log.
[[nodiscard]] std::string summary_of(const TaskCounters& counters);

}  // namespace penstock
