#include "bench/rows/restore_bench.h"

#include <vector>

#include "bench/raw/raw_consumer.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 2'000'000;
constexpr std::size_t kAccounts = 1'000;
constexpr std::chrono::hours kFarAway{24 * 300};

// Admits jobs that are due in the far future; each is a row of the state.
Status make_state(const BenchQueue& queue, const BenchOptions& options, std::size_t jobs) {
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  const auto run_at = std::chrono::system_clock::now().time_since_epoch() + kFarAway;
  const std::int64_t run_at_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(run_at).count();
  const Status filled = queue.fill(jobs, [&](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i, .run_at_ms = run_at_ms}};
  });
  if (!filled) return filled;
  // Removed when this function returns, so the first start that is measured finds no state on disk.
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const auto worker =
      BenchWorker::start(queue, {.state_dir = directory->path(), .threads = options.threads});
  if (!worker) return tl::unexpected(worker.error());
  if (Status status = (*worker)->wait_ready(); !status) return status;
  const Status admitted =
      (*worker)->wait_until([jobs](const TaskCounters& now) { return now.admitted >= jobs; });
  if (!admitted) return admitted;
  return (*worker)->stop();
}

// The seconds from the start until every partition is running.
Result<double> start_seconds(const BenchQueue& queue, const StateDirectory& directory,
                             int threads) {
  const Stopwatch watch;
  const auto worker =
      BenchWorker::start(queue, {.state_dir = directory.path(), .threads = threads});
  if (!worker) return tl::unexpected(worker.error());
  if (Status status = (*worker)->wait_ready(); !status) return tl::unexpected(status.error());
  const double seconds = watch.seconds();
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return seconds;
}

struct Starts {
  double cold = 0, warm = 0;

  // The cost of the state alone: joining and claiming are the same in both.
  [[nodiscard]] double restore() const { return std::max(cold - warm, 0.001); }
};

Result<Starts> measure_starts(const BenchQueue& queue, int threads) {
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const auto cold = start_seconds(queue, *directory, threads);
  if (!cold) return tl::unexpected(cold.error());
  // In the same directory, which has the state that the first start restored.
  const auto warm = start_seconds(queue, *directory, threads);
  if (!warm) return tl::unexpected(warm.error());
  return Starts{*cold, *warm};
}

}  // namespace

Result<nlohmann::ordered_json> bench_restore(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const auto queue =
      BenchQueue::make(options.properties, noop_queue("restore", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  if (Status status = make_state(**queue, options, jobs); !status)
    return tl::unexpected(status.error());
  Rounds rounds;
  std::vector<double> cold, warm, megabytes;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto raw =
        read_raw(options.properties, (*queue)->names().state_topic(), options.partitions);
    if (!raw) return tl::unexpected(raw.error());
    const auto starts = measure_starts(**queue, options.threads);
    if (!starts) return tl::unexpected(starts.error());
    rounds.add(static_cast<double>(raw->total_bytes) / starts->restore(), raw->bytes_per_second());
    cold.push_back(starts->cold);
    warm.push_back(starts->warm);
    megabytes.push_back(static_cast<double>(raw->total_bytes) / 1e6);
    options.note("restore: " + rounds.last() + ", cold start " + std::to_string(starts->cold) +
                 " s, warm restart " + std::to_string(starts->warm) + " s");
  }
  auto report = rounds.report("restore", "bytes/s",
                              {{"jobs", jobs},
                               {"state_megabytes", median(megabytes)},
                               {"partitions", options.partitions},
                               {"threads", options.threads}});
  report["cold_start_s"] = median(cold);
  report["warm_restart_s"] = median(warm);
  return report;
}

}  // namespace penstock
