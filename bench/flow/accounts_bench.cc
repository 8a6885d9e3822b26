#include "bench/flow/accounts_bench.h"

#include "bench/rig/drain.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 2'000'000;
constexpr std::size_t kManyAccounts = 1'000'000;
constexpr std::size_t kFewAccounts = 100;

// In nanoseconds per job. A stride through the accounts avoids an order that would be favourable.
Result<double> cost(const BenchOptions& options, std::size_t jobs, std::size_t accounts) {
  const auto queue =
      BenchQueue::make(options.properties, noop_queue("accounts", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  constexpr std::size_t kStride = 7'919;  // a prime that divides neither number of accounts
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i * kStride % accounts), {.number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const auto rate = drain_rate(**queue, jobs, {.state_dir = {}, .threads = options.threads});
  if (!rate) return tl::unexpected(rate.error());
  return 1e9 / *rate;
}

}  // namespace

Result<nlohmann::ordered_json> bench_accounts(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t many = options.accounts.value_or(kManyAccounts);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto few_cost = cost(options, jobs, kFewAccounts);
    if (!few_cost) return tl::unexpected(few_cost.error());
    const auto many_cost = cost(options, jobs, many);
    if (!many_cost) return tl::unexpected(many_cost.error());
    rounds.add(*many_cost, *few_cost);
    options.note("accounts: " + rounds.last());
  }
  return rounds.report("accounts", "ns/job",
                       {{"jobs", jobs},
                        {"record_bytes", 200},
                        {"accounts", many},
                        {"raw_accounts", kFewAccounts},
                        {"partitions", options.partitions},
                        {"threads", options.threads}});
}

}  // namespace penstock
