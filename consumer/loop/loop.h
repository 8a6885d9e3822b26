// One member of a queue's consumer group, with its partitions: polls the log, drains the mailbox,
// advances time, steps the tenures, starts attempts, and commits when due. A pass never blocks and
// reads no clock, so the simulator can drive it just as the worker's thread does
// (consumer/worker/loop_thread.h).
//
//   while (!loop.stopped()) { session.wait(loop.idle_for(now)); loop.pass(now); }
//
// Everything except mailbox() belongs to one thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "consumer/control/control_reader.h"
#include "consumer/loop/crash_notices.h"
#include "consumer/loop/mailbox.h"
#include "consumer/loop/reclaim.h"
#include "consumer/loop/tenure/tenure.h"
#include "consumer/loop/undelivered.h"

namespace penstock {

struct LoopOptions {
  std::string prefix = "penstock";
  std::string instance;
  QueuePolicy queue;
  std::uint32_t queue_number = 0;  // among the queues of the process
  const TypeTable* types = nullptr;
  int concurrency = 10;
  LeaseRules lease;
  std::uint64_t nonce = 0;  // of this process and loop; differs for every start
  std::chrono::nanoseconds grace = std::chrono::seconds(25);  // for a revoked partition's attempts
  std::uint64_t trim_bytes = 64ULL << 20;
  // The partitions are those of the slots topic; `queue` has its name and partition count.
  bool owns_slots = false;
  int slots_partitions = kSlotsPartitions;
  std::size_t max_live_jobs = Lines::kMaxLiveJobs;  // per partition
  StepBounds bounds = {};
  std::size_t max_flows = Lines::kMaxFlows;  // per partition
};

class Loop final : public LogListener {
 public:
  Loop(LoopOptions options, LogSession& session, LoopHost& host);
  ~Loop() override;

  // One pass. `now` must not go back.
  void pass(Now now);
  // For how long nothing is due unless something arrives in the session or the mailbox.
  [[nodiscard]] std::chrono::nanoseconds idle_for(Now now);

  // The previous process crashed with this job of the queue in flight: sends the job's partition a
  // crash notice. To be called before the loop has a partition, so that none starts the job before
  // it knows.
  void send_crash_notice(const InFlight& job);

  // Graceful stop: running attempts may continue until `until`; then every partition is released.
  void stop(Instant until);
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool cut_off() const { return cut_off_; }

  [[nodiscard]] LoopMailbox& mailbox() { return mailbox_; }
  [[nodiscard]] LeaseWatch& leases() { return leases_; }

  // For queries and metrics, on the loop's thread.
  [[nodiscard]] const LoopOptions& options() const { return options_; }
  [[nodiscard]] std::vector<PartitionId> partitions() const;
  [[nodiscard]] Tenure* tenure(PartitionId partition);
  [[nodiscard]] bool all_run() const;
  // Why this loop does not work, for /readyz, as of a moment ago; empty: it works.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const Undelivered& undelivered() const { return undelivered_; }
  [[nodiscard]] Now now() const { return now_; }
  [[nodiscard]] const Control& control() const { return control_.control(); }
  [[nodiscard]] bool control_is_read() const { return control_.is_read(); }
  [[nodiscard]] const TaskCounters& past_counters() const { return past_; }
  [[nodiscard]] std::uint64_t past_commits() const { return past_commits_; }

  // LogListener
  void on_assigned(std::span<const PartitionId> partitions) override;
  void on_revoked(std::span<const PartitionId> partitions) override;
  void on_lost(std::span<const PartitionId> partitions) override;
  void on_records(TopicPartition from, std::span<const LogRecord> records) override;
  void on_out_of_range(TopicPartition from, Offset position) override;
  void on_truncated(TopicPartition from, Offset position) override;
  void on_appended(Lane lane, Ticket ticket, const Appended& result) override;
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override;
  void on_membership(PartitionId partition, bool held) override;
  void on_group_offset(PartitionId partition, const Result<std::optional<Offset>>& offset) override;
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override;

 private:
  struct Slot {
    std::unique_ptr<Tenure> tenure;
    bool claims = false;  // claims in one of the next passes
    bool revoked = false;
    // The group has dropped this member and has not assigned anything since. Until it does, or
    // until another worker claims the partition, the partition is worked on.
    bool unconfirmed = false;
    bool asking = false;  // waiting for the answer to check_membership
    Reclaim reclaim = {};
    std::string told = {};  // the reason for giving up that has been logged
    // Reports of handlers for which the next commit has no room, in order. Nothing of the partition
    // overtakes them except progress. Bounded like the mailbox.
    std::deque<HandlerMessage> deferred = {};
    // The newest report of each attempt.
    std::map<Token, ProgressMade> deferred_progress = {};
  };

  // Attempts that end together would otherwise start together and end together again, and each
  // would have to wait until all of their reports have been processed.
  static constexpr int kMessagesBeforeStarts = 4;
  static constexpr std::chrono::milliseconds kLookForTroubleEvery{500};
  // When the group has dropped its members, each works on until it has joined again. By then, a
  // worker that had the partition before has released it, which takes one or two commits.
  static constexpr std::chrono::seconds kYieldAfterLoss{1};
  // A doubt about one message makes all outboxes of the loop start again: the first time at once,
  // and soon afterwards with a growing pause.
  static constexpr std::chrono::milliseconds kFirstRenewPause{100};
  static constexpr std::chrono::seconds kMaxRenewPause{5}, kRenewalsApart{30};

  void notice(PartitionId partition, const std::string& text);
  void refuse(const std::string& reason, Now now);
  void renew_outbox_lane();
  void renew_if_due();
  void look_for_trouble();
  void notice_answered(Ticket ticket, const Appended& result);
  void drain_mailbox();
  void deliver(HandlerMessage message);
  void defer(Slot& slot, HandlerMessage message);
  void deliver_progress(Slot& slot);
  void deliver_deferred();
  void start_between_messages();
  void process_killed();
  void restore_one();
  void step_tenures();
  void commit_one(bool busy);
  void start_ready();
  template <typename Visit>
  void each_tenure_from(PartitionId first, Visit visit);
  template <typename Step>
  void share_capacity(Step step);
  void apply_control();
  void reap();
  void end_slot(PartitionId partition, Slot& slot);
  void release_unconfirmed();
  void claim_one();
  void claim(PartitionId partition, Slot& slot);
  [[nodiscard]] std::string grown(PartitionId partition) const;
  void finish_stop();
  [[nodiscard]] int running() const;
  [[nodiscard]] bool wants_places();

  LoopOptions options_;
  LogSession& session_;
  LoopHost& host_;
  LoopMailbox mailbox_;
  LeaseWatch leases_;
  ControlReader control_;
  TopicIds topics_;
  Tickets tickets_;
  TenureParts parts_;
  Now now_{};
  std::map<PartitionId, Slot> slots_;
  // Kept as long as the process lives: even if the partition was elsewhere in the meantime, this
  // process must recognize a claim of its own tenure that has worked.
  std::map<PartitionId, LastTenure> last_;
  std::map<Ticket, InFlight> notices_;  // of crashes, without an answer yet
  std::uint64_t next_tenure_ = 1;
  StepBudget budget_;  // of this pass
  PartitionId first_to_restore_ = 0;
  PartitionId first_to_step_ = 0;
  PartitionId first_to_commit_ = 0;
  int delivered_ = 0;          // in this drain
  bool commit_waits_ = false;  // for the next pass
  bool renew_outboxes_ = false;
  Instant renewed_at_{}, renew_not_before_{};
  GrowingPause renew_pause_{kFirstRenewPause, kMaxRenewPause};
  Undelivered undelivered_;
  std::string trouble_;
  Instant look_for_trouble_at_{};
  bool assigned_ = false;  // the group has answered, perhaps with no partitions
  bool lost_ = false;      // the group has dropped this member since
  bool refused_ = false;
  std::optional<Instant> stop_until_;
  bool stopped_ = false;
  bool cut_off_ = false;
  std::vector<HandlerMessage> messages_;
  std::vector<LoopMailbox::Call> calls_;
  TaskCounters past_;  // of tenures that have ended
  std::uint64_t past_commits_ = 0;
};

}  // namespace penstock
