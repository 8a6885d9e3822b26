// `penstock enqueue`: one job from options, or many from JSON lines (SPEC section 7).
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
  // A bulk: `args` and what stands above are the chunks'; the items are the lines of `from`, or
  // args' `items`.
  std::string bulk = {};
  std::string chunk = {};  // items a job, or "auto"
  // Under "auto", as a worker knows them: how long an item takes, and of how many chunks the bulk
  // is that has been sent before.
  std::optional<std::chrono::microseconds> item_time = {};
  std::optional<std::size_t> known_chunks = {};
  std::string http = {};
  std::string on_done = {};  // a job record
};

// Whether the options go together; the message says which do not.
[[nodiscard]] Status check_enqueue_usage(const EnqueueOptions& options);

// The job record of one job's options, written from `now`. Its rules are the producer's to check.
[[nodiscard]] Result<std::string> enqueue_record(const EnqueueOptions& options, Time now);

// Sends; prints to `output`. `in` stands for standard input.
[[nodiscard]] Exit enqueue(const EnqueueOptions& options, Producer& producer, std::istream& in,
                           Output& output);

void add_enqueue_command(Program& program);

}  // namespace penstock
