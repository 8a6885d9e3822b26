#include "bench/speed/replay_bench.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/raw/raw_consumer.h"
#include "bench/raw/stopwatch.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/bench_worker.h"
#include "bench/rig/rounds.h"
#include "bench/rig/state_directory.h"
#include "consumer/control/control.h"
#include "consumer/loop/loop.h"
#include "consumer/worker/control_client.h"
#include "penstock/producer.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

constexpr std::size_t kRecords = 10'000'000;  // scanned; a tenth as many are copied
constexpr std::size_t kMatchEvery = 100;
constexpr std::int64_t kParts = 10;
constexpr std::size_t kAccounts = 1'000;
constexpr std::size_t kLiveJobs = 4'000;
constexpr const char* kPace = "50000/s";
constexpr std::chrono::seconds kPatience{600};

QueuePolicy replayed_queue(const BenchOptions& options) {
  QueuePolicy policy = noop_queue("replay", options.partitions);
  policy.types["found"].handler = NoopHandler{};
  policy.types["stamp"];  // makes the type known; its handler is a function
  return policy;
}

struct Tally {
  std::int64_t scanned = 0, admitted = 0;
  bool done = true;
};

Result<Tally> tally(BenchWorker& worker, const std::string& name) {
  const auto found = std::make_shared<Tally>();
  const Status asked = worker.ask([found, name](Loop& loop, Now) {
    for (const PartitionId partition : loop.partitions()) {
      Tenure* const tenure = loop.tenure(partition);
      PartitionReplay* const replay =
          tenure && tenure->task() ? tenure->task()->replays().find(name) : nullptr;
      found->done = found->done && replay && replay->is_done();
      if (!replay) continue;
      found->scanned += replay->row().counts.scanned;
      found->admitted += replay->row().counts.admitted;
    }
  });
  if (!asked) return tl::unexpected(asked.error());
  return *found;
}

// Of everything that the topic has now, the first of so many parts.
Result<ReplayRecord> start_replay(const BenchQueue& queue, const std::string& name,
                                  const nlohmann::json& terms, std::int64_t part = 1) {
  const auto log = open_kafka(queue.properties());
  if (!log) return tl::unexpected(log.error());
  const auto bounds = (*log)->offsets_at(queue.names().topic(), Time{});
  if (!bounds) return tl::unexpected(bounds.error());
  ReplayRecord record;
  record.terms = *parse_replay_terms(terms);
  for (const OffsetsAt& partition : *bounds)
    record.ranges.push_back({partition.bounds.start, Offset{partition.bounds.end.value / part}});
  const Status set = ControlClient(**log, queue.prefix())
                         .set(replay_key({queue.policy().name, name}), to_json_text(record));
  if (!set) return tl::unexpected(set.error());
  return record;
}

Status cancel_replay(const BenchQueue& queue, const std::string& name, ReplayRecord record) {
  const auto log = open_kafka(queue.properties());
  if (!log) return tl::unexpected(log.error());
  record.state = ReplayState::kCancelled;
  return ControlClient(**log, queue.prefix())
      .set(replay_key({queue.policy().name, name}), to_json_text(record));
}

struct Replayed {
  Tally tally;
  double seconds = 0;  // from the first record that was looked at
};

Result<Replayed> wait_for(BenchWorker& worker, const std::string& name) {
  Stopwatch since_start, watch;
  bool began = false;
  std::int64_t before = 0, admitted_before = 0;
  while (since_start.seconds() < static_cast<double>(kPatience.count())) {
    auto now = tally(worker, name);
    if (!now) return tl::unexpected(now.error());
    if (!began && now->scanned > 0) {
      began = true;
      watch = Stopwatch();
      before = now->scanned;
      admitted_before = now->admitted;
    }
    if (now->done) {
      now->scanned -= before;
      now->admitted -= admitted_before;
      return Replayed{*now, watch.seconds()};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return failure("the replay \"" + name + "\" did not end");
}

// -- Live jobs

struct Moments {
  explicit Moments(std::size_t jobs) : acknowledged(jobs), started(jobs) {}
  using Cell = std::atomic<std::int64_t>;
  std::vector<Cell> acknowledged, started;

  static void stamp(std::vector<Cell>& cells, std::size_t number) {
    const auto now = SteadyClock::now().time_since_epoch();
    if (number < cells.size())
      cells[number] = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
  [[nodiscard]] bool complete(std::size_t from, std::size_t to) const {
    return std::all_of(started.begin() + static_cast<std::ptrdiff_t>(from),
                       started.begin() + static_cast<std::ptrdiff_t>(to),
                       [](const Cell& cell) { return cell > 0; });
  }
  [[nodiscard]] double p99_ms(std::size_t from, std::size_t to) const {
    std::vector<double> ms;
    for (std::size_t i = from; i < to; ++i)
      ms.push_back(static_cast<double>(started[i].load() - acknowledged[i].load()) / 1e6);
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() * 99 / 100];
  }
};

// One job per millisecond, the jobs `from` to `to`.
Status send(const BenchQueue& queue, Producer& producer, std::size_t from, std::size_t to,
            Moments& moments) {
  const auto start = SteadyClock::now();
  for (std::size_t i = from; i < to; ++i) {
    std::this_thread::sleep_until(start + (i - from) * std::chrono::milliseconds(1));
    const BenchJob job{.type = "stamp", .number = i};
    producer.send_raw(queue.policy().name, "live-" + std::to_string(i % kAccounts), job.text(),
                      [&moments, i](const Delivery&) { Moments::stamp(moments.acknowledged, i); });
  }
  if (!producer.flush(std::chrono::seconds(60))) return failure("the producer did not finish");
  for (const Stopwatch watch; !moments.complete(from, to);) {
    if (watch.seconds() > 60) return failure("not every live job started within a minute");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

struct Round {
  double raw = 0, quick = 0, scan = 0, copies = 0;
  double p99_before = 0, p99_paced = 0, p99_during = 0;
};

struct Measuring {
  const BenchOptions& options;
  const BenchQueue& queue;
  BenchWorker& worker;
  Moments& moments;
  std::size_t records;

  Result<Round> measure() {
    Round round;
    if (Status status = worker.wait_ready(); !status) return tl::unexpected(status.error());
    const Stopwatch drain;
    const Status drained =
        worker.wait_until([this](const TaskCounters& now) { return now.succeeded >= records; });
    if (!drained) return tl::unexpected(drained.error());
    round.quick = drain.per_second(records);
    const auto raw = read_raw(options.properties, queue.names().topic(), options.partitions);
    if (!raw) return tl::unexpected(raw.error());
    round.raw = raw->records_per_second();
    if (const Status scanned = scan(round); !scanned) return tl::unexpected(scanned.error());
    if (const Status copied = copy(round); !copied) return tl::unexpected(copied.error());
    return round;
  }

  Status scan(Round& round) {
    const auto started = start_replay(queue, "scan", {{"types", {"found"}}});
    if (!started) return tl::unexpected(started.error());
    const auto replayed = wait_for(worker, "scan");
    if (!replayed) return tl::unexpected(replayed.error());
    round.scan = static_cast<double>(replayed->tally.scanned) / replayed->seconds;
    return {};
  }

  // A tenth of the records, and then all of them, at a rate and without one, with live jobs before
  // and meanwhile.
  Status copy(Round& round) {
    Producer producer({.prefix = queue.prefix(), .properties = queue.properties()});
    const std::size_t part = moments.started.size() / 3;
    if (Status sent = send(queue, producer, 0, part, moments); !sent) return sent;
    round.p99_before = moments.p99_ms(part / 4, part);
    const auto tenth = start_replay(queue, "alone", nlohmann::json::object(), kParts);
    if (!tenth) return tl::unexpected(tenth.error());
    const auto alone = wait_for(worker, "alone");
    if (!alone) return tl::unexpected(alone.error());
    round.copies = static_cast<double>(alone->tally.admitted) / alone->seconds;
    const auto paced = start_replay(queue, "paced", {{"rate", kPace}});
    if (!paced) return tl::unexpected(paced.error());
    if (Status sent = send(queue, producer, part, 2 * part, moments); !sent) return sent;
    round.p99_paced = moments.p99_ms(part, 2 * part);
    if (Status cancelled = cancel_replay(queue, "paced", *paced); !cancelled) return cancelled;
    const auto beside = start_replay(queue, "beside", nlohmann::json::object());
    if (!beside) return tl::unexpected(beside.error());
    if (Status sent = send(queue, producer, 2 * part, 3 * part, moments); !sent) return sent;
    const auto during = tally(worker, "beside");
    if (!during) return tl::unexpected(during.error());
    if (during->done) options.note("replay: it had ended before the live jobs");
    round.p99_during = moments.p99_ms(2 * part, 3 * part);
    return {};
  }
};

Result<Round> run_round(const BenchOptions& options, std::size_t records) {
  const auto queue = BenchQueue::make(options.properties, replayed_queue(options));
  if (!queue) return tl::unexpected(queue.error());
  const Status filled = (*queue)->fill(records, [](std::size_t i) {
    const bool found = i / kAccounts % kMatchEvery == 0;
    return BenchQueue::Line{bench_account(i % kAccounts),
                            {.type = found ? "found" : "noop", .number = i}};
  });
  if (!filled) return tl::unexpected(filled.error());
  const auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  // Declared before the worker, whose handlers write to it.
  Moments moments(3 * kLiveJobs);
  BenchWorkerOptions worker_options{.state_dir = directory->path(), .threads = options.threads};
  worker_options.functions["stamp"] = [&moments](Attempt& attempt) {
    // A copy of a live job is not what is measured.
    if (!attempt.replay())
      Moments::stamp(moments.started, std::strtoull(attempt.id().data() + 1, nullptr, 10));
    return done();
  };
  const auto worker = BenchWorker::start(**queue, worker_options);
  if (!worker) return tl::unexpected(worker.error());
  auto round = Measuring{options, **queue, **worker, moments, records}.measure();
  if (Status status = (*worker)->stop(); !status) return tl::unexpected(status.error());
  return round;
}

}  // namespace

Result<nlohmann::ordered_json> bench_replay(const BenchOptions& options) {
  const std::size_t records = options.jobs.value_or(kRecords);
  Rounds scans;
  std::vector<double> copies, quicks, before, paced, during;
  for (int round = 0; round < options.rounds.value_or(kRounds); ++round) {
    const auto found = run_round(options, records);
    if (!found) return tl::unexpected(found.error());
    scans.add(found->scan, found->raw);
    copies.push_back(found->copies);
    quicks.push_back(found->quick);
    before.push_back(found->p99_before);
    paced.push_back(found->p99_paced);
    during.push_back(found->p99_during);
    options.note("replay: scan " + scans.last() + "; copies " + std::to_string(found->copies) +
                 ", quick " + std::to_string(found->quick) + "; p99 " +
                 std::to_string(found->p99_before) + " ms, beside a replay at " + kPace + " " +
                 std::to_string(found->p99_paced) + " ms, beside one without a rate " +
                 std::to_string(found->p99_during) + " ms");
  }
  auto report = scans.report("replay", "records/s",
                             {{"records", records},
                              {"matching", 1.0 / static_cast<double>(kMatchEvery)},
                              {"record_bytes", 200},
                              {"partitions", options.partitions},
                              {"threads", options.threads}});
  report["copies_per_second"] = median(copies);
  report["quick_per_second"] = median(quicks);
  report["copies_ratio"] = median(copies) / median(quicks);
  report["p99_ms_before"] = median(before);
  report["p99_ms_paced"] = median(paced);
  report["p99_ms_during"] = median(during);
  return report;
}

}  // namespace penstock
