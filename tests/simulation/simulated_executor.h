// Handlers in virtual time: they take their time, fail, snooze, go on in iterations, produce other
// jobs, hang, give signs of life or none, kill their process, and obey a request to stop or do not.
// Some cannot be ended, as C++ handlers cannot: they run on until their work or their time is over.
// An attempt's time is the product's. One a worker process after the other; one thread.
#pragma once

#include <map>
#include <vector>

#include "consumer/job/attempt_deadline.h"
#include "consumer/job/handler.h"
#include "consumer/loop/crash_notices.h"
#include "tests/simulation/checker/attempt_checks.h"

namespace penstock::simulation {

class SimulatedExecutor final : public Executor {
 public:
  SimulatedExecutor(const Settings& settings, SimulatedCluster& cluster, SimulatedHost& host,
                    AttemptChecks& checks);

  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey& key) override;
  void kill(const AttemptKey& key) override;
  [[nodiscard]] bool still_runs(const AttemptKey& key) const override;

  // What the journal of a process that dies now would hold.
  [[nodiscard]] std::vector<InFlight> in_flight() const;
  // The process is gone, or stands still, or goes on.
  void process_ended();
  // The process has crashed. An attempt for which there is a time runs on until then, without its
  // process.
  using Outlives = std::function<std::optional<Instant>(const AttemptKey&)>;
  void outlive(const Outlives& until);
  void paused();
  void resumed();

 private:
  struct Attempt {
    AttemptRequest request;
    Mailbox* mailbox = nullptr;
    std::uint64_t number = 0;
    bool obeys = false;
    int hops = 0;
    std::chrono::nanoseconds takes{};
    AttemptDeadline<Instant> deadline = {};
    bool runs_on = false;  // killed, and its code has not noticed
  };

  void race(const AttemptRequest& request);
  void checkpoint(const AttemptKey& key, std::uint64_t number);
  // Of an attempt that still runs and was not killed; null: it does not.
  [[nodiscard]] Attempt* find(const AttemptKey& key, std::uint64_t number);
  void live_on(const AttemptKey& key, std::uint64_t number, std::uint64_t signs);
  void watch(const AttemptKey& key, std::uint64_t number);
  void time_out(const AttemptKey& key);
  void run_on(Attempt& attempt);
  void stop_running_on(const AttemptKey& key, std::uint64_t number);
  void kill_process(const AttemptKey& key, std::uint64_t number);
  [[nodiscard]] std::string new_cursor(const AttemptKey& key);
  void finish(const AttemptKey& key, std::uint64_t number, bool stopped);
  // Nothing: it hangs.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> length(const AttemptRequest& request);
  [[nodiscard]] OutcomeValue choose(const Attempt& attempt);
  [[nodiscard]] ItemOutcomes choose_items(const Attempt& attempt);
  [[nodiscard]] std::vector<FollowUp> follow_ups(const Attempt& attempt);

  const Settings& settings_;
  SimulatedCluster& cluster_;
  SimulatedHost& host_;
  AttemptChecks& checks_;
  simulated::Random random_, lives_, deaf_;
  std::map<AttemptKey, Attempt> attempts_;
  std::uint64_t numbers_ = 0, cursors_ = 0;
  bool is_paused_ = false;
};

}  // namespace penstock::simulation
