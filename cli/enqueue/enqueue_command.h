// `penstock enqueue`: one job from options, or many from JSON lines (docs/cli.md).
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>

#include "cli/enqueue/enqueue_options.h"
#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

// Whether the options can be combined; the error says which cannot.
[[nodiscard]] Status check_enqueue_usage(const EnqueueOptions& options);

// The lines of --from.
struct EnqueueInput {
  std::istream& stream;
  bool is_file = false;  // it is what --from names, and not only standard input
  std::optional<std::uint64_t> bytes = {};
  std::function<bool()> stopped = {};  // whether to read no more of it
};

// Sends the jobs and prints to `output`.
[[nodiscard]] Exit enqueue(const EnqueueOptions& options, Producer& producer,
                           const EnqueueInput& input, Output& output);

void add_enqueue_command(Program& program);

}  // namespace penstock
