// The task of a worker process: the config file, and what the command line or the program adds to
// it. Values; check_options() validates them before anything is opened.
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

inline constexpr int kMaxConcurrency = 100'000;   // running attempts
inline constexpr int kMaxLoopThreads = 64;        // per queue
inline constexpr int kMaxHandlerThreads = 1'024;  // that run C++ handlers

// How a queue shares the process's places with other queues.
struct QueueShare {
  int weight = 1;  // its share of the starts while the queues want more places than there are
  // The maximum number of running attempts of this queue; absent: as many as there are places.
  std::optional<int> concurrency;
};

struct RuntimeOptions {
  Config config;
  std::vector<std::string> queues;  // empty: all queues in the config
  int concurrency = 100;            // running attempts in this process, shared by its queues
                                    // Only queues with settings of their own.
  std::map<std::string, QueueShare, std::less<>> shares;
  // A place goes to the first of `queues` that wants it, regardless of weights.
  bool strict = false;
  int threads = 1;       // loop threads per queue
  std::string instance;  // for static membership unless empty; must be unique in the group
  std::chrono::milliseconds grace{25'000};
  std::optional<LeaseRules> lease;                // instead of each queue's own
  std::map<std::string, TypePolicy> extra_types;  // --handler TYPE=SPEC, for every queue
  HandlerTable functions;                         // C++ handlers
  int handler_threads = 8;                        // that run C++ handlers
  // Report failed attempts to the sink. They are counted and shown in the jobs' states in any case.
  bool reports_failed_attempts = true;
};

// Fails on numbers out of range, on queues that are not in the config or are named twice, and on
// secret files of handlers that cannot be used. The message names the option or the file.
[[nodiscard]] Status check_options(const RuntimeOptions& options);

}  // namespace penstock
