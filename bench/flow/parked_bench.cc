#include "bench/flow/parked_bench.h"

#include <sys/resource.h>

#include <thread>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 1'000'000;
constexpr std::size_t kLimits = 10'000;
constexpr int kSeconds = 10;
constexpr int kRoundsOfThis = 1;            // each admits a million jobs
constexpr std::chrono::seconds kSettle{3};  // what was admitted last is committed and flushed
constexpr const char* kParkedType = "parked";

// Finer than the ticks of /proc: of this process, whose only work is the worker's.
double cpu_seconds_used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double cpu_percent(int seconds) {
  std::this_thread::sleep_for(kSettle);
  const double before = cpu_seconds_used();
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  return (cpu_seconds_used() - before) / watch.seconds() * 100;
}

struct Cost {
  double idle = 0, parked = 0;
};

Result<Cost> measure(BenchWorker& worker, const BenchQueue& queue, std::size_t jobs,
                     std::size_t limits, int seconds) {
  if (Status ready = worker.wait_ready(); !ready) return tl::unexpected(ready.error());
  const double idle = cpu_percent(seconds);
  const Status filled = queue.fill(jobs, [limits](std::size_t i) {
    return BenchQueue::Line{bench_account(i % limits), {.type = kParkedType, .number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const Status taken =
      worker.wait_until([jobs](const TaskCounters& now) { return now.admitted >= jobs; });
  if (!taken) return tl::unexpected(taken.error());
  const double parked = cpu_percent(seconds);
  const auto counters = worker.counters();
  if (!counters || counters->started > 0) return failure("a job has started that was to wait");
  return Cost{idle, parked};
}

// An account's limit of no slots: so all of its jobs wait, and nothing is ever released.
Result<Cost> run_round(const BenchOptions& options, std::size_t jobs, std::size_t limits) {
  QueuePolicy policy;
  policy.name = "parked";
  policy.partitions = options.partitions;
  TypePolicy& type = policy.types[kParkedType];
  type.handler = NoopHandler{};
  type.limits = {{parse_limit_name("gateway/{account}").value(), 0, {}, 1}};
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const auto worker =
      BenchWorker::start(**queue, {.state_dir = directory->path(), .threads = options.threads});
  if (!worker) return tl::unexpected(worker.error());
  auto cost = measure(**worker, **queue, jobs, limits, options.seconds.value_or(kSeconds));
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return cost;
}

}  // namespace

Result<nlohmann::ordered_json> bench_parked(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t limits = options.accounts.value_or(kLimits);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRoundsOfThis); ++round) {
    const auto cost = run_round(options, jobs, limits);
    if (!cost) return tl::unexpected(cost.error());
    rounds.add(cost->parked, cost->idle);
    options.note("parked: " + rounds.last());
  }
  return rounds.report("parked", "cpu percent",
                       {{"jobs", jobs},
                        {"limits", limits},
                        {"partitions", options.partitions},
                        {"threads", options.threads},
                        {"seconds", options.seconds.value_or(kSeconds)}});
}

}  // namespace penstock
