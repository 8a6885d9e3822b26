#include "bench/rig/drain.h"

#include "bench/raw/stopwatch.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {

Result<double> drain_rate(const BenchQueue& queue, std::size_t jobs, BenchWorkerOptions options,
                          std::size_t rows) {
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  options.state_dir = directory->path();
  const Stopwatch since_start;
  const auto worker = BenchWorker::start(queue, options);
  if (!worker) return tl::unexpected(worker.error());
  if (Status status = (*worker)->wait_ready(); !status) return tl::unexpected(status.error());
  const Status began = (*worker)->wait_until([rows](const TaskCounters& now) {
    return now.succeeded > 0 && now.admitted >= now.succeeded + rows;
  });
  if (!began) return tl::unexpected(began.error());
  // Asked again, as close as possible to the start of the watch.
  const auto first = (*worker)->counters();
  if (!first) return tl::unexpected(first.error());
  Stopwatch since_first;
  auto counted = jobs - static_cast<std::size_t>(first->succeeded);
  if (counted == 0) {  // so few that they had ended before they could be watched
    counted = jobs;
    since_first = since_start;
  }
  const Status done =
      (*worker)->wait_until([jobs](const TaskCounters& now) { return now.succeeded >= jobs; });
  const double rate = since_first.per_second(counted);
  if (!done) return tl::unexpected(done.error());
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return rate;
}

}  // namespace penstock
