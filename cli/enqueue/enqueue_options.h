// The options of `penstock enqueue` for one job, many jobs, or a bulk (docs/cli.md). Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

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

}  // namespace penstock
