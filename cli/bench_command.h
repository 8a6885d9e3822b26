// `penstock bench NAME`: the project's benchmarks, one JSON object on standard output, progress on
// standard error.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_bench_command(Program& program);

}  // namespace penstock
