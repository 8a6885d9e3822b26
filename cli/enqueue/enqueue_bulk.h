// `enqueue --bulk`: one large action, split into chunks that run as one bulk. Its items are the
// lines of --from, one JSON value each, or the member `items` of --args. Nothing is sent unless
// every item is good.
#pragma once

#include <istream>

#include "cli/enqueue/enqueue_options.h"
#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

inline constexpr std::size_t kDefaultChunk = 100;
inline constexpr std::string_view kAutoChunk = "auto";

[[nodiscard]] Status check_bulk_usage(const EnqueueOptions& options);

// Says the size of the chunks, and prints the bulk's id, or with --json a line a chunk.
[[nodiscard]] Exit enqueue_bulk(const EnqueueOptions& options, Producer& producer, std::istream& in,
                                Output& output);

}  // namespace penstock
