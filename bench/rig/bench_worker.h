// The real worker inside a benchmark's process: a Runtime on a thread of its own, and questions to
// its loops. Used from one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bench/rig/bench_queue.h"
#include "consumer/loop/mailbox.h"
#include "consumer/worker/runtime.h"

namespace penstock {

class Loop;
class PassWatch;
struct TaskCounters;

struct BenchWorkerOptions {
  std::string state_dir;
  int concurrency = 100;
  int threads = 1;              // loop threads
  HandlerTable functions = {};  // by type
  int handler_threads = 8;
};

class BenchWorker {
 public:
  // Returns at once: the worker joins, restores and works on its own.
  [[nodiscard]] static Result<std::unique_ptr<BenchWorker>> start(
      const BenchQueue& queue, const BenchWorkerOptions& options);
  ~BenchWorker();
  BenchWorker(const BenchWorker&) = delete;
  BenchWorker& operator=(const BenchWorker&) = delete;

  // Watches its loops from their creation on, before they have partitions.
  [[nodiscard]] Status watch(PassWatch& watch);
  // Waits until every loop is running its partitions.
  [[nodiscard]] Status wait_ready();
  // Runs `question` on every loop's thread, one after the other. To be called after wait_ready().
  // The question must own what it writes to, because a late loop may run it after the wait has been
  // given up.
  [[nodiscard]] Status ask(const LoopMailbox::Call& question);
  [[nodiscard]] Result<TaskCounters> counters();
  // Asks every `every` until `enough` holds, or for a quarter of an hour nothing has happened.
  [[nodiscard]] Status wait_until(const std::function<bool(const TaskCounters&)>& enough,
                                  std::chrono::milliseconds every = std::chrono::milliseconds(2));
  // Stops gracefully; an error if the worker had to cut an attempt off or has failed.
  [[nodiscard]] Status stop();

 private:
  BenchWorker(RuntimeOptions options, std::unique_ptr<Log> log);
  void heard(std::string_view level, const std::string& text);
  [[nodiscard]] Status trouble();

  std::mutex mutex_;
  std::string trouble_;  // the last warning or error
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> has_ended_{false};
  int status_ = 0;
  Runtime runtime_;
  std::jthread thread_;
};

}  // namespace penstock
