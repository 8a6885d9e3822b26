// How long a snoozed job waits, and how often it has been snoozed in a row. Pure.
#pragma once

#include <string>

#include "consumer/job/handler.h"
#include "state/rows/job_row.h"

namespace penstock {

// A job whose handler asked for less would run again at once, for ever: a snooze spends no attempt
// and no breaker counts it. One second is the unit of Retry-After.
inline constexpr Duration kMinSnooze{1000};

[[nodiscard]] Duration snooze_wait(const Snooze& snooze);
// "snoozed 3 times in a row"; empty for a job whose last attempt ended in another way.
[[nodiscard]] std::string snoozes_text(const JobRow& row);

}  // namespace penstock
