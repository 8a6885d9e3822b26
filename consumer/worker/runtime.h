// A worker process without its front ends: the log, the rows on disk, the executors, and for each
// queue its loop threads, from the first connection to the last release.
//
//   waiting for brokers -> checking topics -> running -> stopping -> stopped
//
// Thread-safe where it says so; made, run and destroyed by one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "consumer/config/config.h"
#include "consumer/handlers/executors.h"
#include "consumer/loop/crash_notices.h"
#include "consumer/worker/clock.h"
#include "consumer/worker/refusals.h"
#include "consumer/worker/runtime_options.h"
#include "topics/log.h"

namespace penstock {

class FailureLog;
class Journal;
class Loop;
class Places;
class RocksDatabase;
class Watchdog;

class Runtime final {
 public:
  // For the log: a level ("info", "warning", "error") and a line. From any thread.
  using Sink = std::function<void(std::string_view level, const std::string& text)>;

  Runtime(RuntimeOptions options, std::unique_ptr<Log> log, Sink sink);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Opens what is local. An error is final: a broken config, a state directory that is held.
  [[nodiscard]] Status open();
  // Works until stop(), or until it cannot go on. Calls `ready` once when every loop runs its
  // partitions. The exit status: 0, or 1 when attempts had to be cut off or it could not go on. A
  // queue that cannot go on stops alone; when none is left, the process ends with 1, and so it does
  // at its end when any has stopped so.
  [[nodiscard]] int run(const std::function<void()>& ready);
  // From any thread, and once from a signal's thread: finish what runs within the grace time.
  void stop();

  // From any thread. Empty: ready; otherwise why not, as that a queue has stopped by itself.
  [[nodiscard]] std::string not_ready() const;
  struct QueueLoops {
    QueuePolicy policy;
    std::vector<Loop*> loops;
    std::string refusal = {};  // why it has stopped by itself; empty: it has not
  };
  // From any thread, after open(). Without loops until all of them have been made; the loops stay
  // until the runtime goes.
  [[nodiscard]] std::vector<QueueLoops> loops() const;
  [[nodiscard]] const RuntimeOptions& options() const { return options_; }
  [[nodiscard]] Log& log() { return *log_; }

 private:
  class Queue;
  class Host;

  [[nodiscard]] Status add_queue(const QueuePolicy& policy);
  void broken(const std::string& reason);
  void stop_refused();
  [[nodiscard]] bool any_queue_left() const;
  void connection(bool connected, std::string_view detail);
  [[nodiscard]] bool prepare();
  [[nodiscard]] Status check_topics_of(const QueuePolicy& policy);
  [[nodiscard]] Status start_loops();
  void make_places();
  [[nodiscard]] Status make_loop(Queue& queue, int number_in_queue, std::size_t number);
  [[nodiscard]] bool shares_limits() const;
  void report_crashes();
  void wait_for_end(const std::function<void()>& ready);
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
  [[nodiscard]] int finish();
  [[nodiscard]] std::string why_broken();
  [[nodiscard]] int give_up(const std::string& reason);
  [[nodiscard]] bool stop_loops();
  void say_what_was_done();

  RuntimeOptions options_;
  std::unique_ptr<Log> log_;
  Sink sink_;
  Clock clock_;
  std::unique_ptr<FailureLog> failures_;
  Executors executors_;
  std::unique_ptr<RocksDatabase> rocks_;
  std::unique_ptr<Journal> journal_;
  std::vector<InFlight> crashed_;
  CrashNotices notices_;
  std::unique_ptr<Places> places_;
  std::vector<std::unique_ptr<Queue>>
      queues_;  // the last one may be the slots topic's, which is no queue
  std::unique_ptr<Watchdog> watchdog_;
  Refusals refusals_;
  int missing_asks_ = 0;  // at the start, that found a topic missing

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_asked_ = false;
  bool loops_made_ = false;
  bool ready_ = false;
  bool connected_ = true;
  std::string waiting_for_ = "starting";
  std::string trouble_;  // of a loop
  std::string broken_;
};

}  // namespace penstock
