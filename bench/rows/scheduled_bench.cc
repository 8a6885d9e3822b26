#include "bench/rows/scheduled_bench.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/process.h"
#include "bench/rig/rounds.h"
#include "bench/rig/run_at_check.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"

namespace penstock {
namespace {

using WallClock = std::chrono::system_clock;

constexpr std::size_t kJobs = 10'000'000;
constexpr std::size_t kAccounts = 1'000;
constexpr std::int64_t kMaxSpreadMs = 60'000;
constexpr std::size_t kJobsPerMs = 166;  // due per ms
// The time for producing and admitting, until the first job is due: what a sample of the jobs has
// taken, so much longer, and doubled as often as that turns out to be too little.
constexpr std::size_t kSample = 500'000;
constexpr int kSampleLeadSeconds = 24 * 3600;
constexpr double kReserve = 2;
constexpr int kMinLeadSeconds = 10;
constexpr int kMaxLeadSeconds = 12 * 3600;
constexpr std::chrono::milliseconds kLookEvery{50};

struct Plan {
  std::size_t jobs;
  std::int64_t first_ms;

  [[nodiscard]] std::int64_t spread_ms() const {
    return std::clamp(static_cast<std::int64_t>(jobs / kJobsPerMs), std::int64_t{1'000},
                      kMaxSpreadMs);
  }
  [[nodiscard]] std::int64_t run_at_ms(std::size_t number) const {
    // Passes through the minute repeatedly, so that times are not in the order of offsets.
    return first_ms + static_cast<std::int64_t>(number * 7'919) % spread_ms();
  }
};

struct Found {
  bool in_time = true;  // all jobs were admitted before the first one was due
  // Resident bytes: of the process before the worker started; the maximum while jobs were
  // scheduled; and the maximum until all had ended, including the remembered identities.
  double before = 0, most = 0, max_until_done = 0;
  double admitted_per_second = 0, due_per_second = 0;
};

std::int64_t now_ms() {
  const auto now = WallClock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Waits until `enough` holds, and records the maximum memory in the meantime.
Status wait_watching(BenchWorker& worker, double* most,
                     const std::function<bool(const TaskCounters&)>& enough) {
  return worker.wait_until(
      [&](const TaskCounters& now) {
        if (const auto bytes = resident_bytes(0)) {
          *most = std::max(*most, static_cast<double>(*bytes));
        }
        return enough(now);
      },
      kLookEvery);
}

Status wait_admitted(BenchWorker& worker, const Plan& plan, Found* found) {
  if (Status status = worker.wait_ready(); !status) return status;
  const auto first = worker.counters();
  if (!first) return tl::unexpected(first.error());
  const Stopwatch watch;
  Status status = wait_watching(
      worker, &found->most, [&plan](const TaskCounters& now) { return now.admitted >= plan.jobs; });
  if (!status) return status;
  found->admitted_per_second =
      watch.per_second(plan.jobs - static_cast<std::size_t>(first->admitted));
  return {};
}

Status measure(BenchWorker& worker, const Plan& plan, Found* found) {
  Status status = wait_admitted(worker, plan, found);
  if (!status) return status;
  if (found->in_time = now_ms() < plan.first_ms; !found->in_time) return {};
  // In pieces, because nothing happens meanwhile.
  while (status && now_ms() < plan.first_ms) {
    const std::int64_t until = std::min(plan.first_ms, now_ms() + 60'000);
    status = wait_watching(worker, &found->most,
                           [until](const TaskCounters&) { return now_ms() >= until; });
  }
  if (!status) return status;
  status = wait_watching(worker, &found->max_until_done,
                         [&plan](const TaskCounters& now) { return now.succeeded >= plan.jobs; });
  const std::int64_t took_ms = std::max<std::int64_t>(1, now_ms() - plan.first_ms);
  found->due_per_second = static_cast<double>(plan.jobs) / static_cast<double>(took_ms) * 1000;
  return status;
}

// Without `to_the_end`, until the jobs have been admitted.
Result<Found> run_round(const BenchOptions& options, std::size_t jobs, int lead, RunAtCheck& check,
                        bool to_the_end = true) {
  const auto queue =
      BenchQueue::make(options.properties, noop_queue("scheduled", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  const Plan plan{jobs, now_ms() + lead * 1000};
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  const Status filled = (*queue)->fill(jobs, [&](std::size_t i) {
    return BenchQueue::Line{
        bench_account(i % accounts),
        {.type = RunAtCheck::type_of(i), .number = i, .run_at_ms = plan.run_at_ms(i)}};
  });
  if (!filled) return tl::unexpected(filled.error());
  // What producing has left unused would otherwise count as the process's memory before the worker.
  trim_heap();
  const auto before = resident_bytes(0);
  if (!before) return tl::unexpected(before.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  BenchWorkerOptions worker_options{.state_dir = directory->path(), .threads = options.threads};
  worker_options.functions[RunAtCheck::kType] = check.handler();
  const auto worker = BenchWorker::start(**queue, worker_options);
  if (!worker) return tl::unexpected(worker.error());
  Found found{.before = static_cast<double>(*before)};
  const Status measured =
      to_the_end ? measure(**worker, plan, &found) : wait_admitted(**worker, plan, &found);
  if (!measured) return tl::unexpected(measured.error());
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return found;
}

// The lead that this machine needs, as busy as it is.
Result<int> lead_of(const BenchOptions& options, std::size_t jobs) {
  if (options.seconds) return *options.seconds;
  RunAtCheck unused;
  const Stopwatch watch;
  const std::size_t sample = std::min(jobs, kSample);
  const auto found = run_round(options, sample, kSampleLeadSeconds, unused, false);
  if (!found) return tl::unexpected(found.error());
  const double all = watch.seconds() * static_cast<double>(jobs) / static_cast<double>(sample);
  return std::clamp(static_cast<int>(kReserve * all), kMinLeadSeconds, kMaxLeadSeconds);
}

// `lead` grows to what was needed.
Result<Found> run_until_in_time(const BenchOptions& options, std::size_t jobs, RunAtCheck& check,
                                int& lead) {
  for (;; lead = std::min(2 * lead, kMaxLeadSeconds)) {
    auto found = run_round(options, jobs, lead, check);
    if (!found || found->in_time) return found;
    if (lead == kMaxLeadSeconds) break;
    options.note("scheduled: admission took longer than planned; trying again with twice the time");
  }
  return failure("the jobs are not admitted within 12 hours: use fewer --jobs");
}

}  // namespace

Result<nlohmann::ordered_json> bench_scheduled(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  RunAtCheck check;
  Rounds rounds;
  std::vector<double> due, admitted, until_done;
  auto lead = lead_of(options, jobs);
  if (!lead) return tl::unexpected(lead.error());
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto found = run_until_in_time(options, jobs, check, *lead);
    if (!found) return tl::unexpected(found.error());
    rounds.add(found->most, found->before);
    due.push_back(found->due_per_second);
    admitted.push_back(found->admitted_per_second);
    until_done.push_back(found->max_until_done);
    options.note("scheduled: " + rounds.last() + ", due " + std::to_string(due.back()) + "/s");
  }
  if (check.early() > 0) return failure(std::to_string(check.early()) + " jobs started early");
  auto report = rounds.report("scheduled", "bytes",
                              {{"jobs", jobs},
                               {"record_bytes", 200},
                               {"accounts", options.accounts.value_or(kAccounts)},
                               {"due_within_s", Plan{jobs, 0}.spread_ms() / 1000},
                               {"partitions", options.partitions},
                               {"threads", options.threads}});
  report["bytes_until_done"] = median(until_done);
  report["due_jobs_per_second"] = median(due);
  report["admitted_jobs_per_second"] = median(admitted);
  report["early"] = check.early();
  report["checked_for_early"] = check.checked();
  return report;
}

}  // namespace penstock
