// How a queue's jobs run (docs/config.md), as the core sees it. Values that consumer/config has
// read from the config file and validated.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "consumer/policy/limit_policy.h"
#include "consumer/policy/retry_policy.h"
#include "state/log/lease.h"
#include "topics/json/json_pointer.h"
#include "topics/values/types.h"

namespace penstock {

using namespace std::chrono_literals;

enum class Order : std::uint8_t { kCreated, kStrict, kReady, kFair };
enum class FairShare : std::uint8_t { kByAccount, kFlat };  // of the bulks, under kFair
enum class Events : std::uint8_t { kOff, kTerminal, kAll };
enum class UnknownTypes : std::uint8_t { kWait, kDead };

inline constexpr std::size_t kMaxUniquePointers = 16;

enum class UniqueScope : std::uint8_t { kQueued, kRunning, kQueuedAndRunning, kUntilDone, kTtl };
enum class OnConflict : std::uint8_t { kDrop, kReplace, kDebounce, kKeepLatest, kDead };

// One live job per key (consumer/job/job_keys.h) while the holder is within the scope.
struct UniquePolicy {
  std::vector<JsonPointer> by = {};  // pointers into the arguments; empty: all arguments
  UniqueScope scope = UniqueScope::kQueued;
  OnConflict on_conflict = OnConflict::kDrop;  // not used with kRunning: the later job waits
  Duration ttl{0};                             // positive with kTtl, otherwise 0

  friend bool operator==(const UniquePolicy&, const UniquePolicy&) = default;
};

inline constexpr int kMaxBatch = 3'000;
// However steady the arrivals, a batch is delayed by at most this many times `delay`.
inline constexpr int kMaxBatchDelays = 10;

enum class Collect : std::uint8_t { kFifo, kSet };
enum class OnBatchError : std::uint8_t { kRetry, kSplit };

// Jobs of one type and account are passed to the handler together.
struct BatchPolicy {
  int max = 100;
  Collect collect = Collect::kFifo;
  Duration delay{0};  // since the last arrival
  // how long a batch should take; absent: only `max` decides
  std::optional<Duration> target = {};
  OnBatchError on_error = OnBatchError::kRetry;

  friend bool operator==(const BatchPolicy&, const BatchPolicy&) = default;
};

// Whether a job goes on holding its locks and slots between iterations.
enum class BetweenIterations : std::uint8_t { kKeep, kRelease };

struct HttpHandler {
  std::string url;
  std::string secret_file;  // empty: requests are not signed
};
struct ExecHandler {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  int children = 1;
};
// For experiments: does nothing, waits, or fails with a probability.
struct NoopHandler {};
struct SleepHandler {
  Duration length;
};
struct FailHandler {
  double probability;
};
using HandlerSpec = std::variant<HttpHandler, ExecHandler, NoopHandler, SleepHandler, FailHandler>;

struct TypePolicy {
  std::optional<HandlerSpec> handler;  // absent: a C++ handler, or none in this process
  Duration timeout = 30s;
  RetryPolicy retry;
  Duration keep_succeeded = 0s;
  Duration keep_dead = 24h * 30;
  std::optional<UniquePolicy> unique = {};
  std::vector<LimitPolicy> limits = {};  // a job holds all of them or none
  std::optional<BatchPolicy> batch = {};
  // A job that has run this long yields at the end of an iteration.
  std::optional<Duration> max_runtime = {};
  BetweenIterations between_iterations = BetweenIterations::kKeep;
};

// Each copy costs a worker's disk and the reading of the log once more.
inline constexpr int kMaxStandbys = 3;

struct QueuePolicy {
  std::string name;
  int partitions = 12;
  int account_concurrency = 1;
  Order order = Order::kCreated;
  FairShare fair = FairShare::kByAccount;
  Duration dedup_window = 24h;
  Duration lease = kUsualLease;  // see state/log/lease.h
  int standbys = 0;  // further workers that follow each partition (consumer/loop/standby)
  Events events = Events::kOff;
  UnknownTypes unknown_types = UnknownTypes::kWait;
  std::map<std::string, TypePolicy, std::less<>> types;
};

}  // namespace penstock
