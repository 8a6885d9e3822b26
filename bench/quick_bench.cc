#include "bench/quick_bench.h"

#include "bench/bench_queue.h"
#include "bench/bench_worker.h"
#include "bench/raw_consumer.h"
#include "bench/rounds.h"
#include "bench/state_directory.h"
#include "bench/stopwatch.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 2'000'000;
constexpr std::size_t kAccounts = 1'000;

QueuePolicy noop_queue(const BenchOptions& options) {
  QueuePolicy policy;
  policy.name = "quick";
  policy.partitions = options.partitions;
  policy.types["noop"].handler = NoopHandler{};
  return policy;
}

// A queue for each round: a worker that has read one has its place in the state.
Status run_round(const BenchOptions& options, std::size_t jobs, std::size_t accounts,
                 Rounds* rounds) {
  const auto queue = BenchQueue::make(options.properties, noop_queue(options));
  if (!queue) return tl::unexpected(queue.error());
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i}};
  });
  if (!filled) return filled;
  const auto raw = read_raw(options.properties, (*queue)->names().topic(), options.partitions);
  if (!raw) return tl::unexpected(raw.error());
  const auto value = quick_rate(**queue, jobs, options);
  if (!value) return tl::unexpected(value.error());
  rounds->add(*value, raw->records_a_second());
  options.note("quick: " + rounds->last());
  return {};
}

}  // namespace

Result<double> quick_rate(const BenchQueue& queue, std::size_t jobs, const BenchOptions& options) {
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const Stopwatch since_start;
  const auto worker =
      BenchWorker::start(queue, {.state_dir = directory->path(), .threads = options.threads});
  if (!worker) return tl::unexpected(worker.error());
  if (Status status = (*worker)->wait_ready(); !status) return tl::unexpected(status.error());
  Stopwatch since_first;
  const auto first = (*worker)->counters();
  if (!first) return tl::unexpected(first.error());
  auto counted = jobs - static_cast<std::size_t>(first->succeeded);
  if (counted == 0)
    counted = jobs,
    since_first = since_start;  // a trial size that is done before it can be watched
  const Status done =
      (*worker)->wait_until([jobs](const TaskCounters& now) { return now.succeeded >= jobs; });
  const double rate = since_first.a_second(counted);
  if (!done) return tl::unexpected(done.error());
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return rate;
}

Result<nlohmann::ordered_json> bench_quick(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  Rounds rounds;
  for (int round = 0; round < options.rounds; ++round) {
    if (Status status = run_round(options, jobs, accounts, &rounds); !status) {
      return tl::unexpected(status.error());
    }
  }
  return rounds.report("quick", "jobs/s",
                       {{"jobs", jobs},
                        {"record_bytes", 200},
                        {"accounts", accounts},
                        {"partitions", options.partitions},
                        {"threads", options.threads}});
}

}  // namespace penstock
