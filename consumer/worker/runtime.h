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

#include "consumer/config.h"
#include "consumer/crash_notices.h"
#include "consumer/handlers/executors.h"
#include "consumer/worker/clock.h"
#include "state/lease.h"
#include "topics/log.h"

namespace penstock {

class FailureLog;
class Journal;
class Loop;
class Places;
class RocksDatabase;
class Watchdog;

// How a queue shares the process's places with the others.
struct QueueShare {
  int weight = 1;  // of the starts, where several want more than there are places
  std::optional<int>
      concurrency;  // attempts of this queue at once; absent: as many as there are places
};

struct RuntimeOptions {
  Config config;
  std::vector<std::string> queues;  // empty: all of the config
  int concurrency = 100;            // attempts at once in this process, shared by its queues
  std::map<std::string, QueueShare, std::less<>>
      shares;  // of the queues that say something of their own
  bool strict =
      false;        // a place goes to the first of `queues` that wants it, whatever their weights
  int threads = 1;  // loops a queue
  std::string instance;  // static membership when not empty; must be unique in the group
  std::chrono::milliseconds grace{25'000};
  LeaseRules lease;
  std::map<std::string, TypePolicy> extra_types;  // --handler TYPE=SPEC, for every queue
  HandlerTable functions;                         // C++ handlers
  int function_threads = 8;
  bool tells_failed_attempts =
      true;  // to the sink; their count and the jobs' states tell of them anyway
};

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
  // partitions. The exit status: 0, or 1 when attempts had to be cut off or it could not go on.
  [[nodiscard]] int run(const std::function<void()>& ready);
  // From any thread, and once from a signal's thread: finish what runs within the grace time.
  void stop();

  // From any thread. Empty: ready; otherwise why not.
  [[nodiscard]] std::string not_ready() const;
  struct QueueLoops {
    QueuePolicy policy;
    std::vector<Loop*> loops;
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
