// `penstock bench NAME` runs one of the project's benchmarks. It prints one JSON object to standard
// output, and its progress to standard error.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_bench_command(Program& program);

}  // namespace penstock
