#include "consumer/job/snooze.h"

#include <algorithm>

namespace penstock {

Duration snooze_wait(const Snooze& snooze) { return std::max(snooze.in, kMinSnooze); }

std::string snoozes_text(const JobRow& row) {
  if (row.snoozes == 0) return {};
  return row.snoozes == 1 ? "snoozed once"
                          : "snoozed " + std::to_string(row.snoozes) + " times in a row";
}

}  // namespace penstock
