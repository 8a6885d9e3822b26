// What a worker process is asked to do: the config file, and what the command line or the program
// says beside it. Values; check_options judges them before anything is opened.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "consumer/config/config.h"
#include "consumer/handlers/executors.h"
#include "state/log/lease.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr int kMaxConcurrency = 100'000;    // attempts at once
inline constexpr int kMaxLoopThreads = 64;         // of a queue
inline constexpr int kMaxFunctionThreads = 1'024;  // that C++ handlers run on

// How a queue shares the process's places with the others.
struct QueueShare {
  int weight = 1;  // of the starts, where several want more than there are places
  std::optional<int>
      concurrency;  // attempts of this queue at once; absent: as many as there are places
};

struct RuntimeOptions {
  Config config;
  std::vector<std::string> queues;  // empty: all of the config
  int concurrency = 100;            // attempts at once in this process, shared by its queues
  std::map<std::string, QueueShare, std::less<>>
      shares;  // of the queues that say something of their own
  bool strict =
      false;        // a place goes to the first of `queues` that wants it, whatever their weights
  int threads = 1;  // loops a queue
  std::string instance;  // static membership when not empty; must be unique in the group
  std::chrono::milliseconds grace{25'000};
  LeaseRules lease;
  std::map<std::string, TypePolicy> extra_types;  // --handler TYPE=SPEC, for every queue
  HandlerTable functions;                         // C++ handlers
  int function_threads = 8;
  bool tells_failed_attempts =
      true;  // to the sink; their count and the jobs' states tell of them anyway
};

// Refuses numbers that no worker can run with, queues that are not in the config or are named
// twice, and secret files of handlers that cannot be used. The message names the option as
// RuntimeOptions does, or the file.
[[nodiscard]] Status check_options(const RuntimeOptions& options);

}  // namespace penstock
