#include "bench/flow/slots_bench.h"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

constexpr std::size_t kWaiting = 100'000;
constexpr std::size_t kAccounts = 1'000;
constexpr int kSlots = 10;
constexpr Duration kJobTakes{20};
constexpr int kMeasuredSeconds = 20;
constexpr std::size_t kWorkers = 2;
constexpr const char* kLimitedType = "limited";

// The handlers of both workers.
struct InUse {
  std::atomic<int> now = 0, most = 0;

  Outcome run() {
    const int running = ++now;
    // A maximum that several threads raise: tried again until it is at least `running`.
    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
    }
    std::this_thread::sleep_for(kJobTakes);
    --now;
    return done();
  }
};

using Workers = std::array<std::unique_ptr<BenchWorker>, kWorkers>;

Result<TaskCounters> counters_of(Workers& workers) {
  TaskCounters total;
  for (const auto& worker : workers) {
    const auto counters = worker->counters();
    if (!counters) return tl::unexpected(counters.error());
    total += *counters;
  }
  return total;
}

Status wait_for(Workers& workers, const std::function<bool(const TaskCounters&)>& enough) {
  for (const Stopwatch watch; watch.seconds() < 300;) {
    const auto counters = counters_of(workers);
    if (!counters) return tl::unexpected(counters.error());
    if (enough(*counters)) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return failure("timed out");
}

struct Measured {
  double jobs_per_second = 0;
  std::uint64_t jobs = 0, changes = 0, reports = 0, reports_until_then = 0;
  int max_at_once = 0;
};

Result<Measured> measure(Workers& workers, const BenchQueue& queue, std::size_t waiting,
                         int seconds_to_measure) {
  for (const auto& worker : workers) {
    if (Status ready = worker->wait_ready(); !ready) return tl::unexpected(ready.error());
  }
  const Status filled = queue.fill(waiting, [](std::size_t i) {
    return BenchQueue::Line{bench_account(i % kAccounts), {.type = kLimitedType, .number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  // By then all jobs wait, and every partition has had slots.
  const Status taken = wait_for(workers, [&](const TaskCounters& now) {
    return now.admitted >= waiting && now.succeeded >= 50 * kSlots;
  });
  if (!taken) return tl::unexpected(taken.error());
  const Stopwatch watch;
  const auto before = counters_of(workers);
  std::this_thread::sleep_for(std::chrono::seconds(seconds_to_measure));
  const auto after = counters_of(workers);
  const double seconds = watch.seconds();
  if (!before || !after) return failure("the workers do not answer");
  if (after->succeeded >= waiting)
    return failure("all jobs ended before the measurement: use more --jobs");
  const std::uint64_t jobs = after->succeeded - before->succeeded;
  return Measured{static_cast<double>(jobs) / seconds, jobs,
                  after->slot_targets - before->slot_targets,
                  after->slot_reports - before->slot_reports, before->slot_reports};
}

Result<Measured> run_round(const BenchOptions& options, std::size_t waiting) {
  QueuePolicy policy;
  policy.name = "shared";
  policy.partitions = options.partitions;
  TypePolicy& type = policy.types[kLimitedType];
  type.limits = {{parse_limit_name("gateway").value(), kSlots, {}, 1}};
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  // Declared before the workers, which use both until they are destroyed.
  std::vector<StateDirectory> directories;
  InUse slots;
  Workers workers;
  for (auto& worker : workers) {
    auto directory = StateDirectory::make();
    if (!directory) return tl::unexpected(directory.error());
    directories.push_back(*std::move(directory));
    BenchWorkerOptions worker_options{.state_dir = directories.back().path(),
                                      .concurrency = 2 * kSlots};
    worker_options.functions[kLimitedType] = [&slots](Attempt&) { return slots.run(); };
    worker_options.handler_threads = 2 * kSlots;
    auto started = BenchWorker::start(**queue, worker_options);
    if (!started) return tl::unexpected(started.error());
    worker = *std::move(started);
  }
  auto measured = measure(workers, **queue, waiting, options.seconds.value_or(kMeasuredSeconds));
  for (const auto& worker : workers) {
    if (Status status = worker->stop(); !status) return tl::unexpected(status.error());
  }
  if (measured) measured->max_at_once = slots.most;
  if (slots.most > kSlots)
    return failure(std::to_string(slots.most) + " jobs ran at the same time; the limit is " +
                   std::to_string(kSlots));
  return measured;
}

}  // namespace

Result<nlohmann::ordered_json> bench_slots(const BenchOptions& options) {
  const std::size_t waiting = options.jobs.value_or(kWaiting);
  const double ideal = kSlots * 1000.0 / static_cast<double>(kJobTakes.count());
  Rounds rounds;
  Measured last;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto measured = run_round(options, waiting);
    if (!measured) return tl::unexpected(measured.error());
    last = *measured;
    rounds.add(last.jobs_per_second, ideal);
    options.note("slots: " + rounds.last());
  }
  return rounds.report("slots", "jobs/s",
                       {{"waiting", waiting},
                        {"slots", kSlots},
                        {"partitions", options.partitions},
                        {"workers", kWorkers},
                        {"handler", "sleeps 20 ms"},
                        {"max_at_once", last.max_at_once},
                        {"jobs_measured", last.jobs},
                        {"changes_meanwhile", last.changes},
                        {"reports_meanwhile", last.reports},
                        {"reports_before", last.reports_until_then}});
}

}  // namespace penstock
