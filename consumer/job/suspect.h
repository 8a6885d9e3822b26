// Jobs during whose attempts worker processes have crashed: after kMaxCrashes crashes, a job is
// dead as `crashed`. From one crash before that, it is a suspect: one suspect at a time runs in a
// process, so that the next crash tells which job caused it.
#pragma once

#include "state/rows/job_row.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr int kMaxCrashes = 3;
// How long a suspect waits while another one runs in the process.
inline constexpr Duration kSuspectWait{200};

[[nodiscard]] inline bool is_suspect(const JobRow& row) { return row.crashes >= kMaxCrashes - 1; }

}  // namespace penstock
