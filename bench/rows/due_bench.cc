#include "bench/rows/due_bench.h"

#include <thread>

#include "bench/raw/raw_consumer.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/run_at_check.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

using WallClock = std::chrono::system_clock;

constexpr std::size_t kJobs = 200'000;
constexpr std::size_t kAccounts = 1'000;
// The time for producing, reading and admitting, before the instant.
constexpr std::chrono::milliseconds kLead{4'000};
constexpr std::size_t kLeadJobsPerMs = 25;
constexpr int kMaxTries = 5;  // each with twice the time of the previous one

WallClock::time_point instant_in(std::chrono::milliseconds lead) {
  // Whole milliseconds, because a job's run_at has no more.
  return std::chrono::floor<std::chrono::milliseconds>(WallClock::now()) + lead;
}

std::int64_t ms_of(WallClock::time_point at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// The seconds from the instant until all jobs have started; empty if not all were admitted by then.
Result<std::optional<double>> measure(BenchWorker& worker, std::size_t jobs,
                                      WallClock::time_point instant) {
  if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
  const Status admitted =
      worker.wait_until([jobs](const TaskCounters& now) { return now.admitted >= jobs; });
  if (!admitted) return tl::unexpected(admitted.error());
  if (WallClock::now() > instant) return std::nullopt;
  // Asked shortly before the instant, this shows jobs that start early.
  std::this_thread::sleep_until(instant - std::chrono::milliseconds(20));
  const auto before = worker.counters();
  if (!before) return tl::unexpected(before.error());
  if (before->started > 0 && WallClock::now() < instant) return failure("jobs started early");
  const Status started =
      worker.wait_until([jobs](const TaskCounters& now) { return now.started >= jobs; });
  if (!started) return tl::unexpected(started.error());
  const std::chrono::duration<double> took = WallClock::now() - instant;
  const Status ended =
      worker.wait_until([jobs](const TaskCounters& now) { return now.succeeded >= jobs; });
  if (!ended) return tl::unexpected(ended.error());
  return took.count();
}

// False: the jobs were due before all of them had been admitted.
Result<bool> run_round(const BenchOptions& options, std::size_t jobs,
                       std::chrono::milliseconds lead, RunAtCheck& check, Rounds* rounds) {
  const auto queue = BenchQueue::make(options.properties, noop_queue("due", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  const auto instant = instant_in(lead);
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  const Status filled = (*queue)->fill(jobs, [&](std::size_t i) {
    return BenchQueue::Line{
        bench_account(i % accounts),
        {.type = RunAtCheck::type_of(i), .number = i, .run_at_ms = ms_of(instant)}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const auto raw = read_raw(options.properties, (*queue)->names().topic(), options.partitions);
  if (!raw) return tl::unexpected(raw.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  BenchWorkerOptions worker_options{.state_dir = directory->path(), .threads = options.threads};
  worker_options.functions[RunAtCheck::kType] = check.handler();
  const auto worker = BenchWorker::start(**queue, worker_options);
  if (!worker) return tl::unexpected(worker.error());
  const auto value = measure(**worker, jobs, instant);
  if (!value) return tl::unexpected(value.error());
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  if (!*value) return false;
  rounds->add(**value, static_cast<double>(jobs) / raw->records_per_second());
  options.note("due: " + rounds->last());
  return true;
}

Status run_until_in_time(const BenchOptions& options, std::size_t jobs, RunAtCheck& check,
                         Rounds* rounds) {
  auto lead = kLead + std::chrono::milliseconds(jobs / kLeadJobsPerMs);
  for (int i = 0; i < kMaxTries; ++i, lead *= 2) {
    const auto in_time = run_round(options, jobs, lead, check, rounds);
    if (!in_time) return tl::unexpected(in_time.error());
    if (*in_time) return {};
    options.note("due: admission took longer than planned; trying again with twice the time");
  }
  return failure("the jobs are never admitted before they are due: use fewer --jobs");
}

}  // namespace

Result<nlohmann::ordered_json> bench_due(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  RunAtCheck check;
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    if (Status status = run_until_in_time(options, jobs, check, &rounds); !status) {
      return tl::unexpected(status.error());
    }
  }
  if (check.early() > 0) return failure(std::to_string(check.early()) + " jobs started early");
  auto report = rounds.report("due", "s",
                              {{"jobs", jobs},
                               {"record_bytes", 200},
                               {"accounts", options.accounts.value_or(kAccounts)},
                               {"partitions", options.partitions},
                               {"threads", options.threads}});
  report["early"] = check.early();
  report["checked_for_early"] = check.checked();
  return report;
}

}  // namespace penstock
