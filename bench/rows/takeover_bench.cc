#include "bench/rows/takeover_bench.h"

#include <memory>
#include <thread>

#include "bench/raw/raw_producer.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/pass_watch.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/control/control.h"
#include "consumer/loop/loop.h"
#include "topics/names.h"

namespace penstock {
namespace {

constexpr std::size_t kWaitingAccounts = 1'000'000;
constexpr int kTakeoverRounds = 1;  // each round admits a million jobs
constexpr std::chrono::milliseconds kParkedEvery{50};
constexpr std::chrono::minutes kParkedPatience{10};

Status pause(const BenchQueue& queue) {
  const auto producer = RawProducer::open(control_topic(queue.prefix()), queue.properties(), 1);
  if (!producer) return tl::unexpected(producer.error());
  (*producer)->send(pause_key({queue.policy().name, {}, {}}), to_json(Pause{Time{}, "bench"}));
  return (*producer)->finish() == 0 ? Status() : failure("the pause was not acknowledged");
}

// Waits until every account with jobs is waiting for the pause to end.
Status wait_parked(BenchWorker& worker) {
  const Stopwatch watch;
  while (watch.seconds() < std::chrono::duration<double>(kParkedPatience).count()) {
    // Shared with the question, which may be answered after the wait has been given up.
    const auto busy = std::make_shared<bool>(false);
    const Status asked = worker.ask([busy](Loop& loop, Now) {
      for (const PartitionId partition : loop.partitions()) {
        Tenure* const tenure = loop.tenure(partition);
        const Task* const task = tenure ? tenure->task() : nullptr;
        *busy = *busy || !task || task->restoring() || task->has_ready();
      }
    });
    if (!asked) return asked;
    if (!*busy) return {};
    std::this_thread::sleep_for(kParkedEvery);
  }
  return failure("not all accounts were waiting in time");
}

// Takes the queue over with the state in this directory; returns the longest pass in the meantime,
// in ms.
Result<double> take_over(const BenchQueue& queue, const StateDirectory& directory, int threads) {
  const auto worker =
      BenchWorker::start(queue, {.state_dir = directory.path(), .threads = threads});
  if (!worker) return tl::unexpected(worker.error());
  PassWatch watch;
  if (Status status = (*worker)->watch(watch); !status) return tl::unexpected(status.error());
  if (Status status = (*worker)->wait_ready(); !status) return tl::unexpected(status.error());
  if (Status status = wait_parked(**worker); !status) return tl::unexpected(status.error());
  const double longest = watch.longest_ms();
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return longest;
}

Status admit(const BenchQueue& queue, const StateDirectory& directory, std::size_t accounts,
             int threads) {
  const auto worker =
      BenchWorker::start(queue, {.state_dir = directory.path(), .threads = threads});
  if (!worker) return tl::unexpected(worker.error());
  if (Status status = (*worker)->wait_ready(); !status) return status;
  const Status filled = queue.fill(accounts, [](std::size_t i) {
    return BenchQueue::Line{bench_account(i), {.number = i}};
  });
  if (!filled) return filled;
  const Status admitted = (*worker)->wait_until(
      [accounts](const TaskCounters& now) { return now.admitted >= accounts; });
  if (!admitted) return admitted;
  return (*worker)->stop();
}

struct Takeovers {
  double with_jobs = 0, without = 0;  // the longest pass, in ms
};

Result<Takeovers> run_round(const BenchOptions& options, std::size_t accounts) {
  const auto queue =
      BenchQueue::make(options.properties, noop_queue("takeover", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  // Before any job is admitted: with the queue paused, all accounts wait, and stay in the state.
  if (Status status = pause(**queue); !status) return tl::unexpected(status.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const auto without = take_over(**queue, *directory, options.threads);
  if (!without) return tl::unexpected(without.error());
  if (Status status = admit(**queue, *directory, accounts, options.threads); !status)
    return tl::unexpected(status.error());
  const auto with_jobs = take_over(**queue, *directory, options.threads);
  if (!with_jobs) return tl::unexpected(with_jobs.error());
  return Takeovers{*with_jobs, *without};
}

}  // namespace

Result<nlohmann::ordered_json> bench_takeover(const BenchOptions& options) {
  const std::size_t accounts = options.accounts.value_or(kWaitingAccounts);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kTakeoverRounds); ++round) {
    const auto passes = run_round(options, accounts);
    if (!passes) return tl::unexpected(passes.error());
    rounds.add(passes->with_jobs, passes->without);
    options.note("takeover: " + rounds.last());
  }
  return rounds.report(
      "takeover", "ms of the longest pass",
      {{"accounts", accounts}, {"partitions", options.partitions}, {"threads", options.threads}});
}

}  // namespace penstock
