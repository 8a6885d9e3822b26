// Jobs in whose attempt a worker process has died: after kMaxCrashes deaths a job is dead as
// `crashed`. One death before that it is a suspect: one suspect runs at a time in a process, so
// that the next death tells which job it is.
#pragma once

#include "state/rows/job_row.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr int kMaxCrashes = 3;
// How long a suspect waits while another one runs in the process.
inline constexpr Duration kSuspectWait{200};

[[nodiscard]] inline bool is_suspect(const JobRow& row) { return row.crashes >= kMaxCrashes - 1; }

}  // namespace penstock
