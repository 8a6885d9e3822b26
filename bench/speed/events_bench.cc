#include "bench/speed/events_bench.h"

#include <vector>

#include "bench/rig/bench_queue.h"
#include "bench/rig/drain.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 500'000;
constexpr std::size_t kAccounts = 1'000;

// Microseconds per job.
Result<double> cost(const BenchOptions& options, std::size_t jobs, std::size_t accounts,
                    Events events) {
  QueuePolicy policy = noop_queue("events", options.partitions);
  policy.events = events;
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const Status filled = (*queue)->fill(jobs, [accounts](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const auto rate = drain_rate(**queue, jobs, {.state_dir = {}, .threads = options.threads});
  if (!rate) return tl::unexpected(rate.error());
  return 1e6 / *rate;
}

}  // namespace

Result<nlohmann::ordered_json> bench_events(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  Rounds rounds;
  std::vector<double> all_ratios;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    std::vector<double> costs;
    for (const Events events : {Events::kOff, Events::kTerminal, Events::kAll}) {
      const auto found = cost(options, jobs, accounts, events);
      if (!found) return tl::unexpected(found.error());
      costs.push_back(*found);
    }
    rounds.add(costs[1], costs[0]);
    all_ratios.push_back(costs[2] / costs[0]);
    options.note("events: " + rounds.last() + "; all events: ratio " +
                 std::to_string(all_ratios.back()));
  }
  auto report = rounds.report("events", "us/job",
                              {{"jobs", jobs},
                               {"record_bytes", 200},
                               {"accounts", accounts},
                               {"partitions", options.partitions},
                               {"threads", options.threads},
                               {"events", "terminal"}});
  report["all_events_ratio"] = median(all_ratios);
  return report;
}

}  // namespace penstock
