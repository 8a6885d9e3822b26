// The job record for the options of `penstock enqueue`, of one job or of a bulk's chunks. Pure.
#pragma once

#include <string>

#include "cli/enqueue/enqueue_options.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// `now` is the time from which `--in` counts. The producer checks the record's rules.
[[nodiscard]] Result<std::string> enqueue_record(const EnqueueOptions& options, Time now);

}  // namespace penstock
