#include "bench/flow/noisy_bench.h"

#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/loop/loop.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

constexpr std::size_t kNoisyJobs = 50'000;
constexpr std::size_t kOthers = 100;
constexpr std::size_t kJobsOfEach = 10;
constexpr int kConcurrency = 10;
constexpr Duration kSleep{5};
constexpr std::chrono::seconds kPatience{300};

struct Setting {
  std::size_t noisy_jobs;
  std::size_t others;

  [[nodiscard]] std::size_t other_jobs() const { return others * kJobsOfEach; }
  [[nodiscard]] BenchQueue::Line other(std::size_t i) const {
    return {bench_account(i % others), {.type = "sleep", .number = i}};
  }
  // In seconds, if the other accounts had all places to themselves.
  [[nodiscard]] double ideal() const {
    return static_cast<double>(other_jobs()) * static_cast<double>(kSleep.count()) / 1000 /
           kConcurrency;
  }
};

// Waits until all jobs of the other accounts have ended, by asking for each until it is gone.
Status wait_for_others(BenchWorker& worker, const BenchQueue& queue, const Setting& setting) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < setting.other_jobs();) {
    // Shared, because BenchWorker::ask requires it.
    const auto ended = std::make_shared<std::size_t>(i);
    const Status asked =
        worker.ask([ended, setting, partitions = queue.policy().partitions](Loop& loop, Now now) {
          for (; *ended < setting.other_jobs(); ++*ended) {
            const auto line = setting.other(*ended);
            Tenure* const tenure = loop.tenure(partition_of(line.account, partitions));
            if (!tenure || !tenure->task()) return;
            const auto job = tenure->task()->queries().find(line.account, line.job.id(), now);
            if (job && !is_terminal(job->state)) return;
          }
        });
    if (!asked) return asked;
    i = *ended;
    if (watch.seconds() > static_cast<double>(kPatience.count())) return failure("timed out");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

// The seconds from sending the other accounts' jobs until they have ended.
Result<double> measure(BenchWorker& worker, const BenchQueue& queue, const Setting& setting) {
  if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
  const auto producer = queue.open_producer();
  if (!producer) return tl::unexpected(producer.error());
  const Status flooded =
      BenchQueue::fill(**producer, setting.noisy_jobs, [&setting](std::size_t i) {
        // Numbers behind those of the others, because ids follow from them.
        return BenchQueue::Line{"noisy", {.type = "sleep", .number = setting.other_jobs() + i}};
      });
  if (!flooded) return tl::unexpected(flooded.error());
  // The other accounts' jobs must find the whole flood before them.
  const Status admitted = worker.wait_until(
      [&setting](const TaskCounters& now) { return now.admitted >= setting.noisy_jobs; });
  if (!admitted) return tl::unexpected(admitted.error());

  const Stopwatch watch;
  const Status sent = BenchQueue::fill(**producer, setting.other_jobs(),
                                       [&setting](std::size_t i) { return setting.other(i); });
  if (!sent) return tl::unexpected(sent.error());
  const Status taken = worker.wait_until([&setting](const TaskCounters& now) {
    return now.admitted >= setting.noisy_jobs + setting.other_jobs();
  });
  if (!taken) return tl::unexpected(taken.error());
  if (Status done = wait_for_others(worker, queue, setting); !done)
    return tl::unexpected(done.error());
  return watch.seconds();
}

Result<double> run_round(const BenchOptions& options, const Setting& setting) {
  QueuePolicy policy;
  policy.name = "noisy";
  policy.partitions = options.partitions;
  policy.types["sleep"].handler = SleepHandler{kSleep};
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  // One loop: with several, the other accounts could not use the places of all of them.
  const auto worker = BenchWorker::start(
      **queue, {.state_dir = directory->path(), .concurrency = kConcurrency, .threads = 1});
  if (!worker) return tl::unexpected(worker.error());
  auto seconds = measure(**worker, **queue, setting);
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return seconds;
}

}  // namespace

Result<nlohmann::ordered_json> bench_noisy(const BenchOptions& options) {
  const Setting setting{options.jobs.value_or(kNoisyJobs), options.accounts.value_or(kOthers)};
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto seconds = run_round(options, setting);
    if (!seconds) return tl::unexpected(seconds.error());
    rounds.add(*seconds, setting.ideal());
    options.note("noisy: " + rounds.last());
  }
  return rounds.report("noisy", "s",
                       {{"noisy_jobs", setting.noisy_jobs},
                        {"other_accounts", setting.others},
                        {"jobs_of_each", kJobsOfEach},
                        {"handler", "sleep:5ms"},
                        {"concurrency", kConcurrency},
                        {"partitions", options.partitions}});
}

}  // namespace penstock
