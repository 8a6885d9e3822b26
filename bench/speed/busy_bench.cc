#include "bench/speed/busy_bench.h"

#include "bench/rig/drain.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 50'000;
constexpr std::size_t kAccounts = 1'000;
constexpr int kConcurrency = 100;
constexpr Duration kSleep{5};
constexpr double kIdeal = kConcurrency * 1000.0 / static_cast<double>(kSleep.count());

Result<double> run_round(const BenchOptions& options, std::size_t jobs, std::size_t accounts) {
  QueuePolicy policy;
  policy.name = "busy";
  policy.partitions = options.partitions;
  policy.types["sleep"].handler = SleepHandler{kSleep};
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.type = "sleep", .number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  return drain_rate(**queue, jobs,
                    {.state_dir = {}, .concurrency = kConcurrency, .threads = options.threads});
}

}  // namespace

Result<nlohmann::ordered_json> bench_busy(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto value = run_round(options, jobs, accounts);
    if (!value) return tl::unexpected(value.error());
    rounds.add(*value, kIdeal);
    options.note("busy: " + rounds.last());
  }
  return rounds.report("busy", "jobs/s",
                       {{"jobs", jobs},
                        {"handler", "sleep:5ms"},
                        {"accounts", accounts},
                        {"concurrency", kConcurrency},
                        {"partitions", options.partitions},
                        {"threads", options.threads}});
}

}  // namespace penstock
