#include "bench/flow/retries_bench.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/task/task.h"
#include "penstock/producer.h"

namespace penstock {
namespace {

using WallClock = std::chrono::system_clock;
using std::chrono::milliseconds;

constexpr std::size_t kJobs = 1'000'000;
constexpr std::size_t kAccounts = 1'000;
constexpr std::size_t kFreshAccounts = 100;
constexpr milliseconds kFreshEvery{5};
constexpr std::size_t kMaxFresh = 100'000;
constexpr milliseconds kQuiet{3'000};  // for new jobs before the instant
// The time for the first attempts, before the instant.
constexpr milliseconds kLead{8'000};
constexpr std::size_t kLeadJobsPerMs = 10;
constexpr int kMaxTries = 5;  // each with twice the time of the previous one

// Data written by the handlers. Each cell is written once.
struct Storm {
  using Cell = std::atomic<std::int64_t>;
  Storm() : acknowledged(kMaxFresh), started(kMaxFresh) {}

  WallClock::time_point instant;
  std::atomic<std::size_t> first_attempts = 0, retries = 0, early = 0, failed_late = 0;
  std::vector<Cell> acknowledged, started;  // new jobs; ns of the wall clock
  std::atomic<std::size_t> sent = 0, not_sent = 0;

  [[nodiscard]] static std::int64_t ns(WallClock::time_point at) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
  }
  Outcome run(Attempt& attempt) {
    const auto now = WallClock::now();
    if (attempt.attempt() > 1) {
      if (now < instant) ++early;
      ++retries;
      return done();
    }
    ++first_attempts;
    if (now >= instant) ++failed_late;
    return retry("not yet",
                 std::max(milliseconds(0), std::chrono::ceil<milliseconds>(instant - now)));
  }
};

// Sends new jobs until it is stopped.
void send_fresh(const BenchQueue& queue, Storm& storm, const std::stop_token& stop) {
  Producer producer({.prefix = queue.prefix(), .properties = queue.properties()});
  std::this_thread::sleep_until(storm.instant - kQuiet);
  const auto begin = SteadyClock::now();
  for (std::size_t i = 0; i < kMaxFresh && !stop.stop_requested(); ++i) {
    std::this_thread::sleep_until(begin + i * kFreshEvery);
    const BenchJob job{.type = "fresh", .number = i};
    producer.send_raw(queue.policy().name, "fresh-" + std::to_string(i % kFreshAccounts),
                      job.text(), [&storm, i](const Delivery& delivery) {
                        storm.acknowledged[i] = Storm::ns(WallClock::now());
                        if (delivery.failure) ++storm.not_sent;
                      });
    ++storm.sent;
  }
  if (!producer.flush(std::chrono::seconds(60))) ++storm.not_sent;
}

// The 99th percentile, in ms, of how late the new jobs started that were acknowledged in [from,
// to).
double p99(const Storm& storm, WallClock::time_point from, WallClock::time_point to) {
  std::vector<double> late;
  for (std::size_t i = 0; i < storm.sent; ++i) {
    const std::int64_t at = storm.acknowledged[i];
    if (at < Storm::ns(from) || at >= Storm::ns(to)) continue;
    late.push_back(std::max(0.0, static_cast<double>(storm.started[i] - at) / 1e6));
  }
  if (late.empty()) return 0;
  std::sort(late.begin(), late.end());
  return late[late.size() * 99 / 100];
}

struct Round {
  double first_s = 0, retried_s = 0, quiet_p99_ms = 0, fresh_p99_ms = 0;
};

Status wait_for_fresh(const Storm& storm) {
  const Stopwatch watch;
  while (std::any_of(storm.started.begin(),
                     storm.started.begin() + static_cast<std::ptrdiff_t>(storm.sent),
                     [](const auto& cell) { return cell == 0; })) {
    if (watch.seconds() > 60)
      return failure("not every new job reached its handler within a minute");
    std::this_thread::sleep_for(milliseconds(10));
  }
  return {};
}

// Empty: some jobs had not failed by the instant.
Result<std::optional<Round>> measure(BenchWorker& worker, const BenchQueue& queue, std::size_t jobs,
                                     Storm& storm) {
  if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
  const Stopwatch first;
  std::jthread fresh([&](const std::stop_token& stop) { send_fresh(queue, storm, stop); });
  if (Status status =
          worker.wait_until([&](const TaskCounters& now) { return now.failed >= jobs; });
      !status) {
    return tl::unexpected(status.error());
  }
  Round round;
  round.first_s = first.seconds();
  // A job that failed after the instant was retried at once, so the retries did not come together.
  if (storm.failed_late > 0 || WallClock::now() > storm.instant - kQuiet) {
    fresh.request_stop();
    fresh.join();
    return std::nullopt;
  }
  std::this_thread::sleep_until(storm.instant);
  if (Status status = worker.wait_until([&](const TaskCounters&) { return storm.retries >= jobs; },
                                        milliseconds(20));
      !status) {
    return tl::unexpected(status.error());
  }
  const auto over = WallClock::now();
  round.retried_s = std::chrono::duration<double>(over - storm.instant).count();
  fresh.request_stop();
  fresh.join();
  if (storm.not_sent > 0) return failure("new jobs were not acknowledged");
  if (Status status = wait_for_fresh(storm); !status) return tl::unexpected(status.error());
  round.quiet_p99_ms = p99(storm, storm.instant - kQuiet, storm.instant - milliseconds(100));
  round.fresh_p99_ms = p99(storm, storm.instant, over);
  return round;
}

Result<std::optional<Round>> run_round(const BenchOptions& options, std::size_t jobs,
                                       milliseconds lead, Storm& storm) {
  QueuePolicy policy;
  policy.name = "retries";
  policy.partitions = options.partitions;
  // Makes the types known; their handlers are the functions below.
  policy.types["fails"];
  policy.types["fresh"];
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  const Status filled = (*queue)->fill(jobs, [&](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.type = "fails", .number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  storm.instant = WallClock::now() + lead;
  BenchWorkerOptions worker_options{.state_dir = directory->path(), .threads = options.threads};
  worker_options.functions["fails"] = [&storm](Attempt& attempt) { return storm.run(attempt); };
  worker_options.functions["fresh"] = [&storm](Attempt& attempt) {
    storm.started[std::strtoull(attempt.id().data() + 1, nullptr, 10)] =
        Storm::ns(WallClock::now());
    return done();
  };
  const auto worker = BenchWorker::start(**queue, worker_options);
  if (!worker) return tl::unexpected(worker.error());
  auto round = measure(**worker, **queue, jobs, storm);
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  if (storm.early > 0) return failure(std::to_string(storm.early) + " retries started early");
  return round;
}

Result<Round> run_until_in_time(const BenchOptions& options, std::size_t jobs) {
  auto lead = kLead + milliseconds(jobs / kLeadJobsPerMs);
  for (int i = 0; i < kMaxTries; ++i, lead *= 2) {
    Storm storm;
    const auto round = run_round(options, jobs, lead, storm);
    if (!round) return tl::unexpected(round.error());
    if (*round) return **round;
    options.note(
        "retries: the first attempts took longer than planned; trying again with twice the time");
  }
  return failure("the jobs never all fail before they are retried: use fewer --jobs");
}

}  // namespace

Result<nlohmann::ordered_json> bench_retries(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  Rounds rounds;
  std::vector<double> quiet, fresh;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto found = run_until_in_time(options, jobs);
    if (!found) return tl::unexpected(found.error());
    rounds.add(found->retried_s, found->first_s);
    quiet.push_back(found->quiet_p99_ms);
    fresh.push_back(found->fresh_p99_ms);
    options.note("retries: " + rounds.last() + "; fresh jobs' p99 " + std::to_string(fresh.back()) +
                 " ms, before " + std::to_string(quiet.back()) + " ms");
  }
  auto report = rounds.report("retries", "s",
                              {{"jobs", jobs},
                               {"record_bytes", 200},
                               {"accounts", options.accounts.value_or(kAccounts)},
                               {"fresh_accounts", kFreshAccounts},
                               {"fresh_jobs_per_second", 1000 / kFreshEvery.count()},
                               {"partitions", options.partitions},
                               {"threads", options.threads}});
  report["fresh_p99_ms"] = median(fresh);
  report["quiet_fresh_p99_ms"] = median(quiet);
  return report;
}

}  // namespace penstock
