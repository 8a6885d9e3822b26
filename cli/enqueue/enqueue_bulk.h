// `enqueue --bulk`: one large action that is split into chunks, which run as one bulk. Its items
// are the lines of --from, one JSON value each, or the member `items` of --args. Nothing is sent
// unless every item is valid.
#pragma once

#include <istream>

#include "cli/enqueue/enqueue_options.h"
#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

inline constexpr std::size_t kDefaultChunk = 100;
inline constexpr std::string_view kAutoChunk = "auto";

[[nodiscard]] Status check_bulk_usage(const EnqueueOptions& options);

// Reports the number of items per chunk, and prints the bulk's id or, with --json, one line per
// chunk.
[[nodiscard]] Exit enqueue_bulk(const EnqueueOptions& options, Producer& producer, std::istream& in,
                                Output& output);

}  // namespace penstock
