#include "bench/speed/latency_bench.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/raw/raw_tail.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "penstock/producer.h"

namespace penstock {
namespace {

constexpr std::size_t kJobs = 4'000;
constexpr std::size_t kWarmUpJobs = 1'000;
constexpr std::size_t kAccounts = 1'000;
constexpr std::chrono::milliseconds kEvery{1};
constexpr std::chrono::seconds kPatience{60};

// When each job was acknowledged, reached the raw consumer, and reached its handler. Each cell is
// written once.
struct Moments {
  explicit Moments(std::size_t jobs) : acknowledged(jobs), raw(jobs), started(jobs) {}
  using Cell = std::atomic<std::int64_t>;
  std::vector<Cell> acknowledged, raw, started;

  static void stamp(std::vector<Cell>& cells, std::size_t number) {
    const auto now = SteadyClock::now().time_since_epoch();
    cells.at(number) = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
};

std::size_t number_of(std::string_view id) { return std::strtoull(id.data() + 1, nullptr, 10); }

std::size_t number_in(std::string_view value) {
  constexpr std::string_view kId = R"("id":")";
  return number_of(value.substr(value.find(kId) + kId.size()));
}

struct Percentiles {
  double p50 = 0, p99 = 0;  // ms
};

Percentiles later(const std::vector<Moments::Cell>& to, const std::vector<Moments::Cell>& from,
                  std::size_t first) {
  std::vector<double> ms;
  for (std::size_t i = first; i < to.size(); ++i) {
    ms.push_back(static_cast<double>(to[i].load() - from[i].load()) / 1e6);
  }
  std::sort(ms.begin(), ms.end());
  return {ms[ms.size() / 2], ms[ms.size() * 99 / 100]};
}

// One job per millisecond, regardless of how long the previous one took.
Status send(const BenchQueue& queue, std::size_t accounts, Moments& moments) {
  // outlives the producer, which calls back until it is destroyed
  std::atomic<std::size_t> failed = 0;
  Producer producer({.prefix = queue.prefix(), .properties = queue.properties()});
  const auto start = SteadyClock::now();
  for (std::size_t i = 0; i < moments.raw.size(); ++i) {
    std::this_thread::sleep_until(start + i * kEvery);
    const BenchJob job{.type = "stamp", .number = i};
    producer.send_raw(queue.policy().name, bench_account(i % accounts), job.text(),
                      [&moments, &failed, i](const Delivery& delivery) {
                        Moments::stamp(moments.acknowledged, i);
                        if (delivery.failure) ++failed;
                      });
  }
  if (!producer.flush(kPatience))
    return failure("the producer did not finish; is the broker all right?");
  if (failed > 0) return failure(std::to_string(failed) + " jobs were not acknowledged");
  return {};
}

bool complete(const std::vector<Moments::Cell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell > 0; });
}

struct Round {
  Percentiles worker, raw;
};

Result<Round> measure(const BenchQueue& queue, BenchWorker& worker, std::size_t accounts,
                      Moments& moments) {
  const auto tail = RawTail::start(
      queue.properties(), queue.names().topic(), queue.policy().partitions,
      [&moments](std::string_view value) { Moments::stamp(moments.raw, number_in(value)); });
  if (!tail) return tl::unexpected(tail.error());
  if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
  if (Status sent = send(queue, accounts, moments); !sent) return tl::unexpected(sent.error());
  const Stopwatch watch;
  while (!complete(moments.started) || !complete(moments.raw)) {
    if (watch.seconds() > 60) return failure("not every job reached its handler within a minute");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::size_t first = std::min(kWarmUpJobs, moments.raw.size() / 2);
  return Round{later(moments.started, moments.acknowledged, first),
               later(moments.raw, moments.acknowledged, first)};
}

Result<Round> run_round(const BenchOptions& options, std::size_t jobs) {
  QueuePolicy policy;
  policy.name = "latency";
  policy.partitions = options.partitions;
  // Makes the type known; its handler is the function below.
  policy.types["stamp"];
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  // Declared before the worker, whose handlers write to it.
  Moments moments(jobs + kWarmUpJobs);
  BenchWorkerOptions worker_options{.state_dir = directory->path(), .threads = options.threads};
  worker_options.functions["stamp"] = [&moments](Attempt& attempt) {
    Moments::stamp(moments.started, number_of(attempt.id()));
    return done();
  };
  const auto worker = BenchWorker::start(**queue, worker_options);
  if (!worker) return tl::unexpected(worker.error());
  auto round = measure(**queue, **worker, options.accounts.value_or(kAccounts), moments);
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return round;
}

}  // namespace

Result<nlohmann::ordered_json> bench_latency(const BenchOptions& options) {
  const std::size_t jobs = options.jobs.value_or(kJobs);
  Rounds p50s;
  std::vector<double> p99s, raw_p99s, over_p50s, over_p99s;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto found = run_round(options, jobs);
    if (!found) return tl::unexpected(found.error());
    p50s.add(found->worker.p50, found->raw.p50);
    p99s.push_back(found->worker.p99);
    raw_p99s.push_back(found->raw.p99);
    over_p50s.push_back(found->worker.p50 - found->raw.p50);
    over_p99s.push_back(found->worker.p99 - found->raw.p99);
    options.note("latency: p50 " + p50s.last() + "; p99 over by " +
                 std::to_string(over_p99s.back()));
  }
  auto report = p50s.report("latency", "ms",
                            {{"jobs", jobs},
                             {"jobs_per_second", 1000 / kEvery.count()},
                             {"accounts", options.accounts.value_or(kAccounts)},
                             {"partitions", options.partitions},
                             {"threads", options.threads}});
  report["p99_ms"] = median(p99s);
  report["raw_p99_ms"] = median(raw_p99s);
  report["over_p50_ms"] = median(over_p50s);
  report["over_p99_ms"] = median(over_p99s);
  return report;
}

}  // namespace penstock
