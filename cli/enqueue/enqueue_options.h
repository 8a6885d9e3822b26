// What the options of `penstock enqueue` say: one job, many, or a bulk (SPEC section 7). Values.
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

}  // namespace penstock
