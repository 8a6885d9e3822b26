#include "bench/speed/quick_bench.h"

#include "bench/raw/raw_consumer.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/drain.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 2'000'000;
constexpr std::size_t kAccounts = 1'000;

// Each round has its own queue, because a worker that has read one has its position in the state.
Status run_round(const BenchOptions& options, std::size_t jobs, std::size_t accounts,
                 Rounds* rounds) {
  const auto queue = BenchQueue::make(options.properties, noop_queue("quick", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i}};
  });
  if (!filled) return filled;
  const auto raw = read_raw(options.properties, (*queue)->names().topic(), options.partitions);
  if (!raw) return tl::unexpected(raw.error());
  const auto value = drain_rate(**queue, jobs, {.state_dir = {}, .threads = options.threads});
  if (!value) return tl::unexpected(value.error());
  rounds->add(*value, raw->records_per_second());
  options.note("quick: " + rounds->last());
  return {};
}

}  // namespace

Result<nlohmann::ordered_json> bench_quick(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
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
