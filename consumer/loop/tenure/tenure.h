// One partition in this process, from its claim to its end: binds the owner (state log), the outbox
// and the task (core) together, and carries out their requests through the loop's log session.
//
// Belongs to one loop and its thread. A tenure never deletes itself: ended() tells the loop to do
// so.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "consumer/loop/tenure/tenure_parts.h"
#include "consumer/slots/slot_task.h"
#include "consumer/task/task.h"
#include "state/log/log_size.h"
#include "state/log/owner.h"
#include "state/log/sweep.h"

namespace penstock {

struct TenureOptions {
  TaskOptions task;
  std::uint32_t queue_number = 0;  // among the queues of the process
  bool owns_slots = false;         // a partition of the slots topic: no jobs
  std::uint64_t tenure = 0;        // distinguishes this tenure's tickets from those of earlier ones
  ClaimNonce nonce;
  LeaseRules lease;
  LastTenure last;
  bool only_after_last = false;  // see Owner::Options
  // Under load, a commit is delayed by this time or until it has this many bytes.
  std::chrono::nanoseconds commit_interval = std::chrono::milliseconds(50);
  std::size_t commit_bytes = 128 << 10;
  // The log is trimmed when it is longer than this and longer than twice the live rows.
  std::uint64_t trim_bytes = 64ULL << 20;
};

class Tenure final : public OwnerHost, public OutboxHost, public TaskHost {
 public:
  static constexpr const char* kReleased = "released";  // a normal end, which is not reported

  Tenure(TenureOptions options, std::unique_ptr<Store> store, TenureParts& parts);
  ~Tenure() override;

  void start();

  // Called by the loop when something arrives for this tenure.
  void on_bounds(TopicId topic, const Result<Bounds>& bounds, Now now);
  void on_group_offset(const Result<std::optional<Offset>>& offset, Now now);
  void on_records(TopicId topic, std::span<const LogRecord> records, Now now);
  void on_out_of_range(TopicId topic, Now now);
  void on_truncated(TopicId topic, Offset position, Now now);
  void on_appended(const TenureAppend& append, const Appended& result, Now now);
  void on_message(HandlerMessage message, Now now);
  void on_killed(const AttemptKey& key, Now now);
  void emit_outbox_again();

  // One step: advances time and starts up to `capacity` attempts. Returns the unused capacity.
  [[nodiscard]] int step(int capacity, Now now);
  // Whether to commit what has been collected. `busy`: more input is waiting, so collecting may go
  // on.
  [[nodiscard]] bool commit_is_due(bool busy, Now now);
  void commit(Now now);
  // The partition's memory is read in several steps, before it takes input or starts anything.
  [[nodiscard]] bool restoring() const {
    return task_ && !ended() && (outbox_from_ || task_->restoring());
  }
  void restore_some(Now now);
  // The overrides or pauses of operators have changed.
  void set_control(Now now);
  // Whether it could start something now if there were places.
  [[nodiscard]] bool has_ready(Now now) const;
  // Starts attempts and does nothing else; returns the unused capacity.
  [[nodiscard]] int start_ready(int capacity, Now now);
  [[nodiscard]] std::chrono::nanoseconds idle_for(Now now);

  // Leaves the partition: nothing new starts, and running attempts are asked to stop but may
  // continue until `until`. Then the partition is released, or given up if something still runs.
  void leave(Instant until);
  void lose(const std::string& reason);

  [[nodiscard]] bool ended() const { return owner_.ended(); }
  [[nodiscard]] bool leaving() const { return leave_until_.has_value(); }
  // an attempt was cut off in order to leave
  [[nodiscard]] bool cut_off() const { return cut_off_; }
  [[nodiscard]] const std::string& end_reason() const { return end_reason_; }
  [[nodiscard]] std::uint64_t number() const { return options_.tenure; }
  [[nodiscard]] LastTenure tenure() const;
  [[nodiscard]] std::unique_ptr<Store> take_store() { return std::move(store_); }
  // The task of a queue's partition, and that of a slots partition; null before the rows are
  // restored.
  [[nodiscard]] Task* task() { return jobs_; }
  [[nodiscard]] SlotTask* slot_task() { return slots_; }
  [[nodiscard]] const Owner& owner() const { return owner_; }
  [[nodiscard]] const Outbox& outbox() const { return outbox_; }
  // Of the task, as recorded by commits that count, and of its attempts.
  [[nodiscard]] TaskCounters counters() const;
  [[nodiscard]] std::uint64_t commits() const { return commits_; }  // that count, of this tenure
  // What is waiting for its commit leaves no room for another outcome.
  [[nodiscard]] bool crowded() const { return task_ && task_->unsaved_bytes() > kMaxGatheredBytes; }
  [[nodiscard]] bool runs() const { return owner_.phase() == Owner::Phase::kRunning; }

  // OwnerHost
  void ask_state_bounds() override;
  void read_state(Offset from) override;
  void stop_reading_state() override;
  [[nodiscard]] bool append_state(std::uint64_t number, std::string_view record) override;
  void delete_state_before(Offset before) override;
  void restored() override;
  void running() override {}
  void counted(std::uint64_t seq) override;
  void released() override;
  void dropped(const std::string& reason) override;
  void broken(const std::string& reason) override;
  void refused(const std::string& reason) override;

  // OutboxHost
  [[nodiscard]] bool append_outbox(std::uint64_t number, const Destination& to,
                                   const NewRecord& record) override;
  void renew_outbox() override { parts_.renew_outboxes(); }

  // TaskHost
  [[nodiscard]] std::optional<AttemptResult> start(const AttemptStart& start) override;
  void ask_to_stop(const Token& token) override;
  [[nodiscard]] int partitions_of(std::string_view queue) override {
    return parts_.host.partitions_of(queue);
  }
  void attempt_failed(const FailedAttempt& failed) override { parts_.host.attempt_failed(failed); }
  [[nodiscard]] bool may_run_suspect(const Token& token) override {
    return parts_.host.may_run_suspect(key(token));
  }
  [[nodiscard]] bool awaits_notice(const JobRow& job, Offset input_next) override {
    return parts_.host.awaits_notice(job.account, job.id, input_next, counted_input_);
  }
  [[nodiscard]] std::string held_back(Now now) override;
  [[nodiscard]] bool killed_run() override {
    return parts_.leases.blocks_any(options_.task.partition);
  }
  [[nodiscard]] bool killed_run(std::string_view account) override {
    return parts_.leases.blocks(options_.task.partition, account);
  }

 private:
  static constexpr int kMaxBadBounds = 4;
  static constexpr std::chrono::milliseconds kAskBoundsAgain{100};

  [[nodiscard]] QueueNames names() const {
    return QueueNames(options_.task.prefix, options_.task.queue.name);
  }
  [[nodiscard]] TopicPartition state() const { return {state_topic_, options_.task.partition}; }
  [[nodiscard]] TopicPartition input() const { return {input_topic_, options_.task.partition}; }
  [[nodiscard]] AttemptKey key(const Token& token) const;
  void notice(const std::string& text);
  void renew_lease();
  void find_input();
  void read_input();
  void stop_input();
  void sweep_if_due();
  void see_claim_through(Now now);
  void leave_step(Now now);
  void end_attempts();
  void settle_killed(Now now);
  void make_task();
  [[nodiscard]] bool may_start(Now now) const;
  [[nodiscard]] std::size_t attempts() const { return jobs_ ? jobs_->attempts().running() : 0; }

  TenureOptions options_;
  TenureParts& parts_;
  std::unique_ptr<Store> store_;
  View view_;
  Outbox outbox_;
  Owner owner_;
  std::unique_ptr<PartitionTask> task_;
  Task* jobs_ = nullptr;                    // is task_, or
  SlotTask* slots_ = nullptr;               // is
  std::optional<std::string> outbox_from_;  // the row at which the outbox's restore continues
  TopicId state_topic_, input_topic_;

  bool reading_input_ = false;
  bool asked_input_bounds_ = false;
  bool asked_group_offset_ = false;
  std::optional<Instant> ask_input_bounds_at_;  // when to ask again after an error
  bool placed_ = false;  // the state's input position has been verified, so commits may contain it
  // why the state cannot be used; reported once a commit counts
  std::optional<std::string> refusal_;
  int bad_bounds_ = 0;   // answers for another topic than the state's
  bool reread_ = false;  // the task has left records: they are read again from its position
  std::optional<Instant> leave_until_;
  bool cut_off_ = false;
  std::string end_reason_;
  std::optional<Instant> dirty_since_;
  std::deque<Token> killed_;  // attempts whose jobs will be requeued when a commit has room
  absl::flat_hash_map<std::uint64_t, Executor*> executors_;  // of running attempts, by token number
  // What a commit in flight will have recorded once it counts.
  struct Sent {
    std::uint64_t seq;
    Offset input;
    TaskCounters counters;
  };
  std::deque<Sent> sent_;
  TaskCounters counted_counters_;
  std::optional<Offset> offset_to_commit_;
  Offset counted_input_{0};  // the input position of the last commit that counts
  Instant offset_committed_at_{};
  std::optional<Sweep> sweep_;
  std::uint64_t commits_ = 0;
  LogSize log_size_;
  Now now_{};  // of the current step
};

}  // namespace penstock
