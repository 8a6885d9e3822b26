// `penstock enqueue`: one job from options, or many from JSON lines (docs/cli.md).
#pragma once

#include <istream>

#include "cli/enqueue/enqueue_options.h"
#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

// Whether the options can be combined; the error says which cannot.
[[nodiscard]] Status check_enqueue_usage(const EnqueueOptions& options);

// Sends the jobs and prints to `output`. `in` is used as standard input.
[[nodiscard]] Exit enqueue(const EnqueueOptions& options, Producer& producer, std::istream& in,
                           Output& output);

void add_enqueue_command(Program& program);

}  // namespace penstock
