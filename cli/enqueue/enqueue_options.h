// The options of `penstock enqueue` for one job, many jobs, or a bulk (docs/cli.md). Values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/remote/remote_options.h"

namespace penstock {

struct EnqueueOptions {
  std::string queue = {};
  std::string type = {};
  std::string account = {};
  std::string args = {};
  std::string id = {};
  std::string run_at = {};      // RFC 3339, or milliseconds since 1970
  std::string in = {};          // a duration
  std::string expires_at = {};  // as run_at
  std::string expires_in = {};  // a duration
  std::optional<int> priority = {};
  std::optional<int> weight = {};
  std::string unique_key = {};
  std::string meta = {};  // a JSON object
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string from = {};  // a path, "-" for standard input, "" for one job
  // A bulk: `args` and the members above are those of its chunks. Its items are the lines of `from`
  // or the member `items` of the arguments.
  std::string bulk = {};
  std::string chunk = {};  // items per chunk, or "auto"
  // For "auto", as reported by a worker: the time per item, and the number of chunks if the bulk
  // has been sent before.
  std::optional<std::chrono::microseconds> item_time = {};
  std::optional<std::size_t> known_chunks = {};
  std::string on_done = {};  // a job record
  // One chunk of a bulk, which the caller splits: its number, and that of all chunks.
  std::optional<std::int64_t> bulk_index = {};
  std::optional<std::int64_t> bulk_size = {};
  RemoteOptions worker = {};

  // Whether this is a bulk to be split.
  [[nodiscard]] bool splits() const { return !bulk.empty() && !bulk_index && !bulk_size; }
};

}  // namespace penstock
