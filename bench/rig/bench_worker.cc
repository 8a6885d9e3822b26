#include "bench/rig/bench_worker.h"

#include <future>
#include <utility>

#include "bench/raw/stopwatch.h"
#include "bench/rig/pass_watch.h"
#include "consumer/loop/loop.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

constexpr std::chrono::seconds kReadyPatience{120};
constexpr std::chrono::seconds kAnswerPatience{30};
constexpr std::chrono::minutes kWorkPatience{15};

}  // namespace

BenchWorker::BenchWorker(RuntimeOptions options, std::unique_ptr<Log> log)
    : runtime_(std::move(options), std::move(log),
               [this](std::string_view level, const std::string& text) { heard(level, text); }) {}

Result<std::unique_ptr<BenchWorker>> BenchWorker::start(const BenchQueue& queue,
                                                        const BenchWorkerOptions& options) {
  auto log = open_kafka(queue.properties());
  if (!log) return tl::unexpected(log.error());
  RuntimeOptions runtime;
  runtime.config.kafka = queue.properties();
  runtime.config.state_dir = options.state_dir;
  runtime.config.prefix = queue.prefix();
  runtime.config.queues = {queue.policy()};
  runtime.concurrency = options.concurrency;
  runtime.threads = options.threads;
  runtime.functions = options.functions;
  runtime.handler_threads = options.handler_threads;
  std::unique_ptr<BenchWorker> worker(new BenchWorker(std::move(runtime), std::move(*log)));
  if (Status status = worker->runtime_.open(); !status) return tl::unexpected(status.error());
  worker->thread_ = std::jthread([self = worker.get()] {
    self->status_ = self->runtime_.run([self] { self->is_ready_ = true; });
    self->has_ended_ = true;
  });
  return worker;
}

BenchWorker::~BenchWorker() { static_cast<void>(stop()); }

void BenchWorker::heard(std::string_view level, const std::string& text) {
  if (level == "info") return;
  const std::lock_guard lock(mutex_);
  trouble_ = text;
}

Status BenchWorker::trouble() {
  const std::lock_guard lock(mutex_);
  return failure("the worker: " + (trouble_.empty() ? "timed out" : trouble_));
}

Status BenchWorker::watch(PassWatch& watch) {
  const auto until = SteadyClock::now() + kReadyPatience;
  // The runtime's own thread creates the loops.
  while (runtime_.loops().front().loops.empty()) {
    if (has_ended_ || SteadyClock::now() > until) return trouble();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const auto& queue : runtime_.loops()) {
    for (Loop* const loop : queue.loops) watch.watch(loop->mailbox());
  }
  return {};
}

Status BenchWorker::wait_ready() {
  const auto until = SteadyClock::now() + kReadyPatience;
  while (!is_ready_) {
    if (has_ended_ || SteadyClock::now() > until) return trouble();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

Status BenchWorker::ask(const LoopMailbox::Call& question) {
  for (const auto& queue : runtime_.loops()) {
    for (Loop* const loop : queue.loops) {
      // Shared, because the loop may run the call after the wait has been given up.
      const auto done = std::make_shared<std::promise<void>>();
      const auto asked = std::make_shared<LoopMailbox::Call>(question);
      loop->mailbox().call([done, asked](Loop& at, Now now) {
        (*asked)(at, now);
        done->set_value();
      });
      if (done->get_future().wait_for(kAnswerPatience) != std::future_status::ready)
        return trouble();
    }
  }
  return has_ended_ ? trouble() : Status();
}

Result<TaskCounters> BenchWorker::counters() {
  // Shared for the same reason as above.
  const auto total = std::make_shared<TaskCounters>();
  const Status asked = ask([total](Loop& loop, Now) {
    *total += loop.past_counters();
    for (const PartitionId partition : loop.partitions()) {
      Tenure* const tenure = loop.tenure(partition);
      if (tenure && tenure->task()) *total += tenure->task()->counters();
    }
  });
  if (!asked) return tl::unexpected(asked.error());
  return *total;
}

Status BenchWorker::wait_until(const std::function<bool(const TaskCounters&)>& enough,
                               std::chrono::milliseconds every) {
  // A slow machine is given the time that it needs, as long as something happens.
  auto until = SteadyClock::now() + kWorkPatience;
  std::uint64_t done = 0;
  while (true) {
    const auto now = counters();
    if (!now) return tl::unexpected(now.error());
    if (enough(*now)) return {};
    const std::uint64_t all = now->admitted + now->started + now->failed + now->succeeded;
    if (std::exchange(done, all) != all) until = SteadyClock::now() + kWorkPatience;
    if (SteadyClock::now() > until) return trouble();
    std::this_thread::sleep_for(every);
  }
}

Status BenchWorker::stop() {
  if (!thread_.joinable()) return {};
  runtime_.stop();
  thread_.join();
  return status_ == 0 ? Status() : trouble();
}

}  // namespace penstock
