#include "bench/speed/idle_bench.h"

#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

#include "bench/raw/raw_tail.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/child.h"
#include "bench/rig/process.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"

namespace penstock {
namespace {

constexpr int kSeconds = 10;
constexpr std::chrono::seconds kSettle{3};  // after joining

struct Cost {
  double bytes = 0;
  double cpu_percent = 0;
  double ready_s = 0;  // from the start of the process
};

Result<Cost> watch(const Child& child, int seconds) {
  std::this_thread::sleep_for(kSettle);
  const auto before = cpu_seconds(child.pid());
  const Stopwatch stopwatch;
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const auto after = cpu_seconds(child.pid());
  const double passed = stopwatch.seconds();
  const auto bytes = resident_bytes(child.pid());
  if (!before) return tl::unexpected(before.error());
  if (!after) return tl::unexpected(after.error());
  if (!bytes) return tl::unexpected(bytes.error());
  return Cost{.bytes = static_cast<double>(*bytes),
              .cpu_percent = (*after - *before) / passed * 100};
}

Result<Cost> raw_cost(const BenchQueue& queue, int seconds) {
  const auto child = Child::fork_to([&queue] {
    const auto tail = RawTail::start(queue.properties(), queue.names().topic(),
                                     queue.policy().partitions, [](std::string_view) {});
    if (!tail) return;
    static_cast<void>(!write(STDERR_FILENO, "ready\n", 6));
    while (true) pause();
  });
  if (!child) return tl::unexpected(child.error());
  if (Status status = (*child)->wait_for("ready"); !status) return tl::unexpected(status.error());
  return watch(**child, seconds);
}

// The worker is started in the usual way, with a config file.
std::string config_of(const BenchQueue& queue, const std::string& directory) {
  const nlohmann::json config = {
      {"kafka", queue.properties()},
      {"state_dir", directory},
      {"prefix", queue.prefix()},
      // Any free port, because another worker may be using the default one.
      {"http", {{"listen", "127.0.0.1:0"}}},
      {"queues", {{queue.policy().name, {{"partitions", queue.policy().partitions}}}}}};
  const std::string path = directory + "/penstock.json";
  std::ofstream(path) << config.dump();
  return path;
}

Result<Cost> worker_cost(const BenchQueue& queue, int seconds, int threads) {
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  const Stopwatch since_start;
  const auto child =
      Child::run_self({"--config", config_of(queue, directory->path()), "work", "--handler",
                       "noop=noop", "--threads", std::to_string(threads)});
  if (!child) return tl::unexpected(child.error());
  if (Status status = (*child)->wait_for("ready"); !status) return tl::unexpected(status.error());
  const double ready_s = since_start.seconds();
  auto cost = watch(**child, seconds);
  if (cost) cost->ready_s = ready_s;
  return cost;
}

}  // namespace

Result<nlohmann::ordered_json> bench_idle(const BenchOptions& options) {
  const int seconds = options.seconds.value_or(kSeconds);
  QueuePolicy policy;
  policy.name = "idle";
  policy.partitions = options.partitions;
  const auto queue = BenchQueue::make(options.properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  Rounds rounds;
  std::vector<double> cpu, raw_cpu, ready;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto raw = raw_cost(**queue, seconds);
    if (!raw) return tl::unexpected(raw.error());
    const auto worker = worker_cost(**queue, seconds, options.threads);
    if (!worker) return tl::unexpected(worker.error());
    rounds.add(worker->bytes, raw->bytes);
    cpu.push_back(worker->cpu_percent);
    raw_cpu.push_back(raw->cpu_percent);
    ready.push_back(worker->ready_s);
    options.note("idle: " + rounds.last() + ", cpu " + std::to_string(cpu.back()) + " %");
  }
  auto report = rounds.report(
      "idle", "bytes",
      {{"seconds", seconds}, {"partitions", options.partitions}, {"threads", options.threads}});
  report["cpu_percent"] = median(cpu);
  report["raw_cpu_percent"] = median(raw_cpu);
  report["ready_s"] = median(ready);
  return report;
}

}  // namespace penstock
