#include "bench/rows/kept_bench.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/rig/bench_queue.h"
#include "bench/rig/drain.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 2'000'000;
constexpr std::size_t kAccounts = 1'000;
constexpr std::size_t kRows = 12;  // one per partition, as a rule

std::int64_t tomorrow_ms() {
  using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
  const auto tomorrow = system_clock::now() + std::chrono::hours(24);
  return duration_cast<milliseconds>(tomorrow.time_since_epoch()).count();
}

// Jobs per second. The jobs that leave rows come first in every partition, and stay in the state.
// Their numbers, from which the ids follow, differ from those of the quick jobs.
Result<double> rate(const BenchOptions& options, std::size_t jobs, std::size_t rows) {
  const auto queue = BenchQueue::make(options.properties, noop_queue("kept", options.partitions));
  if (!queue) return tl::unexpected(queue.error());
  const std::size_t accounts = options.accounts.value_or(kAccounts);
  const std::int64_t run_at = tomorrow_ms();
  const Status kept = (*queue)->fill(rows, [&](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts),
                            {.type = "noop", .number = jobs + i, .run_at_ms = run_at}};
  });
  if (!kept) return tl::unexpected(kept.error());
  const Status filled = (*queue)->fill(jobs, [&](std::size_t i) {
    return BenchQueue::Line{bench_account(i % accounts), {.number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  return drain_rate(**queue, jobs, {.state_dir = {}, .threads = options.threads}, rows);
}

}  // namespace

Result<nlohmann::ordered_json> bench_kept(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  const std::size_t rows = options.rows.value_or(kRows);
  Rounds rounds;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto without = rate(options, jobs, 0);
    if (!without) return tl::unexpected(without.error());
    const auto beside = rate(options, jobs, rows);
    if (!beside) return tl::unexpected(beside.error());
    rounds.add(*beside, *without);
    options.note("kept: " + rounds.last());
  }
  return rounds.report("kept", "jobs/s",
                       {{"jobs", jobs},
                        {"rows", rows},
                        {"record_bytes", 200},
                        {"accounts", options.accounts.value_or(kAccounts)},
                        {"partitions", options.partitions},
                        {"threads", options.threads}});
}

}  // namespace penstock
