#include "consumer/job/snooze.h"

#include <algorithm>

#include "topics/planted.h"

namespace penstock {

Duration snooze_wait(const Snooze& snooze) {
  if (planted(Bug::kSnoozeAtOnce)) return Duration{0};
  if (planted(Bug::kSnoozeUnbounded)) return snooze.in;
  return std::max(snooze.in, kMinSnooze);
}

std::string snoozes_text(const JobRow& row) {
  if (row.snoozes == 0) return {};
  return row.snoozes == 1 ? "snoozed once"
                          : "snoozed " + std::to_string(row.snoozes) + " times in a row";
}

}  // namespace penstock
