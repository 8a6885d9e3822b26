// A worker process without its front ends: the log, the rows on disk, the executors, and the loop
// threads of each queue, from the first connection to the last release.
//
//   waiting for brokers -> checking topics -> running -> stopping -> stopped
//
// Made, run and destroyed by one thread; thread-safe where noted.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumer/config/config.h"
#include "consumer/handlers/executors.h"
#include "consumer/loop/crash_notices.h"
#include "consumer/loop/partitions/open_stores.h"
#include "consumer/worker/clock.h"
#include "consumer/worker/refusals.h"
#include "consumer/worker/run_state.h"
#include "consumer/worker/runtime_options.h"
#include "topics/log.h"

namespace penstock {

class FailureLog;
class Journal;
class KeptTenures;
class Loop;
class Places;
class RocksDatabase;
class Watchdog;

class TopicsAtStart;

class Runtime final {
 public:
  // For the worker's log: a level ("info", "warning", "error") and a line. Called from any thread.
  using Sink = std::function<void(std::string_view level, const std::string& text)>;

  Runtime(RuntimeOptions options, std::unique_ptr<Log> log, Sink sink);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Opens everything local. An error is final, for example an invalid config or a state directory
  // in use.
  [[nodiscard]] Status open();
  // Works until stop(), or until it cannot continue. Calls `ready` once when every loop is running
  // its partitions. Returns the exit status: 0, or 1 if attempts had to be cut off or if it could
  // not continue. A queue that cannot continue stops alone; if none is left, the process ends with
  // 1, and it also ends with 1 if any queue stopped that way.
  [[nodiscard]] int run(const std::function<void()>& ready);
  // Finishes running attempts within the grace time. May be called from any thread, and once from
  // the thread of a signal.
  void stop() { state_.ask_to_stop(); }

  // Empty: ready; otherwise the reason, such as a queue that has stopped by itself. From any
  // thread.
  [[nodiscard]] std::string not_ready() const;
  struct QueueLoops {
    QueuePolicy policy;
    std::vector<Loop*> loops;
    std::string refusal = {};  // why it has stopped by itself; empty: it has not
  };
  // May be called from any thread, after open(). Contains no loops until all of them have been
  // created; from then on the loops exist as long as the runtime.
  [[nodiscard]] std::vector<QueueLoops> loops() const;
  [[nodiscard]] const RuntimeOptions& options() const { return options_; }
  // What names this process among those of its group.
  [[nodiscard]] const std::string& process() const { return process_; }
  [[nodiscard]] Log& log() { return *log_; }

 private:
  class Queue;
  class Host;

  [[nodiscard]] Status add_queue(const QueuePolicy& policy);
  void stop_refused();
  [[nodiscard]] bool any_queue_left() const;
  void connection(bool connected, std::string_view detail);
  [[nodiscard]] bool prepare();
  [[nodiscard]] Status check_topics_of(const QueuePolicy& policy, TopicsAtStart& topics);
  [[nodiscard]] Status start_loops();
  void make_places();
  [[nodiscard]] Status make_loop(Queue& queue, int number_in_queue, std::size_t number);
  [[nodiscard]] bool shares_limits() const;
  void start_slots_if_wanted();
  void report_crashes();
  void wait_for_end(const std::function<void()>& ready);
  [[nodiscard]] int finish();
  [[nodiscard]] int give_up(const std::string& reason);
  [[nodiscard]] bool stop_loops();
  void say_what_was_done();

  RuntimeOptions options_;
  // Tells this process's members of a group from those of others (consumer/loop/standby).
  const std::string process_;
  std::unique_ptr<Log> log_;
  Sink sink_;
  Clock clock_;
  std::unique_ptr<FailureLog> failures_;
  // Destroyed after the executors, so that its lock is held until nothing is left of them.
  std::unique_ptr<KeptTenures> tenures_;
  Executors executors_;
  std::unique_ptr<RocksDatabase> rocks_;
  OpenStores open_stores_;
  std::unique_ptr<Journal> journal_;
  std::vector<InFlight> crashed_;
  CrashNotices notices_;
  std::unique_ptr<Places> places_;
  // The last one is that of the slots topic, which is no queue. It has a loop if a limit is shared.
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<bool> wants_slots_{false};  // a loop has said so
  std::unique_ptr<Watchdog> watchdog_;
  Refusals refusals_;
  RunState state_;
};

}  // namespace penstock
