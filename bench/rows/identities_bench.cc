#include "bench/rows/identities_bench.h"

#include <algorithm>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/process.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 100'000'000;
constexpr std::size_t kAccounts = 1'000;
constexpr int kOwnRounds = 1;
// How many jobs at the beginning and at the end are timed; before the first ones, the worker warms
// up. Memory is looked at first when the buffers of RocksDB and librdkafka are full.
constexpr std::size_t kTimed = 2'000'000, kWarmUp = 500'000, kFull = 5'000'000;

std::size_t done(const TaskCounters& now) {
  return static_cast<std::size_t>(now.succeeded + now.duplicate);
}

// Jobs per second from now until `count` are done.
Result<double> rate_until(BenchWorker& worker, std::size_t count) {
  const auto before = worker.counters();
  if (!before) return tl::unexpected(before.error());
  const Stopwatch watch;
  std::size_t reached = 0;
  const Status status = worker.wait_until([&](const TaskCounters& now) {
    reached = done(now);
    return reached >= count;
  });
  if (!status) return tl::unexpected(status.error());
  return watch.per_second(reached - done(*before));
}

struct Found {
  double first_rate = 0, last_rate = 0;
  double bytes_per_identity = 0;
  std::uint64_t dropped = 0;
};

Result<Found> measure(BenchWorker& worker, std::size_t jobs) {
  const std::size_t timed = std::min(kTimed, jobs / 4);
  const std::size_t warm_up = std::min(kWarmUp, jobs / 8);
  if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
  const auto warm = rate_until(worker, warm_up);
  if (!warm) return tl::unexpected(warm.error());
  const auto first = rate_until(worker, warm_up + timed);
  if (!first) return tl::unexpected(first.error());
  const std::size_t full = std::min(kFull, jobs / 2);
  const auto filling = rate_until(worker, full);
  if (!filling) return tl::unexpected(filling.error());
  const auto before = resident_bytes(0);
  if (!before) return tl::unexpected(before.error());
  const auto middle = rate_until(worker, jobs - timed);
  if (!middle) return tl::unexpected(middle.error());
  const auto last = rate_until(worker, jobs);
  if (!last) return tl::unexpected(last.error());
  const auto after = resident_bytes(0);
  if (!after) return tl::unexpected(after.error());
  const auto counters = worker.counters();
  if (!counters) return tl::unexpected(counters.error());
  const auto identities = static_cast<double>(jobs - full);
  return Found{.first_rate = *first,
               .last_rate = *last,
               .bytes_per_identity =
                   (static_cast<double>(*after) - static_cast<double>(*before)) / identities,
               .dropped = counters->duplicate};
}

Result<Found> run_round(const BenchOptions& options, std::size_t jobs) {
  const auto queue =
      BenchQueue::make(options.properties, noop_queue("identities", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  // Not padded: a hundred million records should fit into the page cache.
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i, .bytes = 0}};
  });
  if (!filled) return tl::unexpected(filled.error());
  trim_heap();
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const auto worker =
      BenchWorker::start(**queue, {.state_dir = directory->path(), .threads = options.threads});
  if (!worker) return tl::unexpected(worker.error());
  auto found = measure(**worker, jobs);
  if (!found) return found;
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return found;
}

}  // namespace

Result<nlohmann::ordered_json> bench_identities(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  Rounds rounds;
  std::vector<double> bytes;
  std::uint64_t dropped = 0;
  for (int round = 0; round < options.rounds.value_or(kOwnRounds); ++round) {
    const auto found = run_round(options, jobs);
    if (!found) return tl::unexpected(found.error());
    rounds.add(found->last_rate, found->first_rate);
    bytes.push_back(found->bytes_per_identity);
    dropped += found->dropped;
    options.note("identities: " + rounds.last() + ", " + std::to_string(bytes.back()) +
                 " bytes per identity");
  }
  auto report = rounds.report("identities", "jobs/s",
                              {{"jobs", jobs},
                               {"timed_jobs", std::min(kTimed, jobs / 4)},
                               {"accounts", options.accounts.value_or(kAccounts)},
                               {"partitions", options.partitions},
                               {"threads", options.threads}});
  report["bytes_per_identity"] = median(bytes);
  report["dropped"] = dropped;
  return report;
}

}  // namespace penstock
