// `penstock enqueue`: one job from options, or many from JSON lines (SPEC section 7).
#pragma once

#include <istream>

#include "cli/enqueue/enqueue_options.h"
#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

// Whether the options go together; the message says which do not.
[[nodiscard]] Status check_enqueue_usage(const EnqueueOptions& options);

// Sends; prints to `output`. `in` stands for standard input.
[[nodiscard]] Exit enqueue(const EnqueueOptions& options, Producer& producer, std::istream& in,
                           Output& output);

void add_enqueue_command(Program& program);

}  // namespace penstock
