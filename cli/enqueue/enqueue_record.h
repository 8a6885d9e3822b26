// The job record that the options of `penstock enqueue` give one job, or every chunk of a bulk.
// Pure.
#pragma once

#include <string>

#include "cli/enqueue/enqueue_options.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// Written from `now`, which `--in` counts from. The record's rules are the producer's to check.
[[nodiscard]] Result<std::string> enqueue_record(const EnqueueOptions& options, Time now);

}  // namespace penstock
