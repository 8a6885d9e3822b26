// `penstock enqueue`: one job from options, or many from JSON lines (docs/cli.md).
#pragma once

#include <chrono>
#include <istream>
#include <optional>
#include <string>

#include "cli/program/program.h"
#include "penstock/producer.h"

namespace penstock {

struct EnqueueOptions {
  std::string queue = {};
  std::string type = {};
  std::string account = {};
  std::string args = {};
  std::string id = {};
  std::string run_at = {};  // RFC 3339, or milliseconds since 1970
  std::string in = {};      // a duration
  std::optional<int> priority = {};
  std::optional<int> weight = {};
  std::string from = {};  // a path, "-" for standard input, "" for one job
  // A bulk: `args` and the members above are those of its chunks. Its items are the lines of `from`
  // or the member `items` of the arguments.
  std::string bulk = {};
  std::string chunk = {};  // items per chunk, or "auto"
  // For "auto", as reported by a worker: the time per item, and the number of chunks if the bulk
  // has been sent before.
  std::optional<std::chrono::microseconds> item_time = {};
  std::optional<std::size_t> known_chunks = {};
  std::string http = {};
  std::string on_done = {};  // a job record
};

// Whether the options can be combined; the error says which cannot.
[[nodiscard]] Status check_enqueue_usage(const EnqueueOptions& options);

// The job record for the options of one job, written at `now`. The producer checks its rules.
[[nodiscard]] Result<std::string> enqueue_record(const EnqueueOptions& options, Time now);

// Sends the jobs and prints to `output`. `in` is used as standard input.
[[nodiscard]] Exit enqueue(const EnqueueOptions& options, Producer& producer, std::istream& in,
                           Output& output);

void add_enqueue_command(Program& program);

}  // namespace penstock
