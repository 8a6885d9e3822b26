// One member of a queue's consumer group, with its partitions: polls the log, drains the mailbox,
// advances time, steps the tenures, starts attempts, and commits when due. A pass never blocks and
// reads no clock, so the simulator can drive it just as the worker's thread does
// (consumer/worker/loop_thread.h).
//
//   while (!loop.stopped()) {
//     session.wait(loop.idle_for(now));
//     loop.take_posted();
//     loop.pass(now);
//   }
//
// Everything except mailbox() belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "consumer/control/control_reader.h"
#include "consumer/loop/crash_reporter.h"
#include "consumer/loop/log_router.h"
#include "consumer/loop/loop_trouble.h"
#include "consumer/loop/mailbox.h"
#include "consumer/loop/partitions/partitions.h"
#include "consumer/loop/renewal_pace.h"
#include "consumer/loop/report_delivery.h"
#include "consumer/loop/tenure_rounds.h"

namespace penstock {

class Loop final {
 public:
  Loop(LoopOptions options, LogSession& session, LoopHost& host);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Takes what handlers and other threads have posted so far, for the next pass. To be called before
  // the time of that pass is read: a handler that ended after it would be retried early.
  void take_posted();
  // One pass. `now` must not go back.
  void pass(Now now);
  // For how long nothing is due unless something arrives in the session or the mailbox.
  [[nodiscard]] std::chrono::nanoseconds idle_for(Now now);

  // The previous process crashed with this job of the queue in flight: sends the job's partition a
  // crash notice. To be called before the loop has a partition, so that none starts the job before
  // it knows.
  void send_crash_notice(const InFlight& job) { crashes_.send(job); }

  // Graceful stop: running attempts may continue until `until`; then every partition is released.
  void stop(Instant until) { partitions_.stop(until); }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool cut_off() const { return partitions_.cut_off(); }

  [[nodiscard]] LoopMailbox& mailbox() { return mailbox_; }
  [[nodiscard]] LeaseWatch& leases() { return leases_; }

  // What listens to the log during a pass.
  [[nodiscard]] LogRouter listener(Now now) {
    return {partitions_, standbys_, control_, crashes_, parts_, now};
  }

  // For queries and metrics, on the loop's thread.
  [[nodiscard]] const LoopOptions& options() const { return options_; }
  [[nodiscard]] const Control& control() const { return control_.control(); }
  [[nodiscard]] std::vector<PartitionId> partitions() const { return partitions_.ids(); }
  [[nodiscard]] Tenure* tenure(PartitionId partition) { return partitions_.tenure(partition); }
  [[nodiscard]] const Standbys& standbys() const { return standbys_; }
  [[nodiscard]] bool all_run() const { return partitions_.all_run(); }
  // Why this loop does not work, for /readyz; may be slightly outdated. Empty: it works.
  [[nodiscard]] const std::string& trouble() const { return trouble_.text(); }
  [[nodiscard]] const Undelivered& undelivered() const { return trouble_.undelivered(); }
  // Of tenures that have ended.
  [[nodiscard]] const TaskCounters& past_counters() const { return partitions_.past_counters(); }
  [[nodiscard]] std::uint64_t past_commits() const { return partitions_.past_commits(); }

 private:
  void refuse(const std::string& reason, Now now);
  void deliver_posted(Now now);
  void process_killed(Now now);
  void apply_control(Now now);
  void step_standbys(Now now);
  void renew_outboxes_if_due(Now now);
  void finish_stop();

  LoopOptions options_;
  LogSession& session_;
  LoopHost& host_;
  LoopMailbox mailbox_;
  LeaseWatch leases_;
  ControlReader control_;
  TopicIds topics_;
  Tickets tickets_;
  RenewalPace renewals_;
  TenureParts parts_;
  StepBudget budget_;  // of this pass
  Standbys standbys_;
  Partitions partitions_;
  TenureRounds rounds_;
  ReportDelivery reports_;
  CrashReporter crashes_;
  LoopTrouble trouble_;
  bool refused_ = false;
  bool stopped_ = false;
  LoopMailbox::Posted posted_;  // what the next pass delivers
};

}  // namespace penstock
