// One partition in this process from its claim to its end: the owner (state log), the outbox and
// the task (core), bound together, and the edge that carries out what they ask for through the
// loop's log session.
//
// Belongs to one loop and its thread. It never deletes itself: ended() tells the loop to.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "consumer/loop/lease_watch.h"
#include "consumer/slots/slot_task.h"
#include "consumer/task/task.h"
#include "state/log/log_size.h"
#include "state/log/owner.h"
#include "state/log/sweep.h"

namespace penstock {

// What tenures share: the loop's services.
class TenureServices {
 public:
  virtual ~TenureServices() = default;
  virtual LogSession& session() = 0;
  virtual LeaseWatch& leases() = 0;
  virtual Mailbox& mailbox() = 0;
  // Who runs attempts of a type; null: nobody here (the core does not start such).
  virtual Executor* executor(const TypeRuntime& type) = 0;
  virtual int partitions_of(std::string_view queue) = 0;
  // What operators have set, for as long as the services live.
  [[nodiscard]] virtual const Control& control() const = 0;
  [[nodiscard]] virtual bool control_is_read() const = 0;
  virtual void attempt_started(const AttemptRequest& request) = 0;
  virtual void attempt_ended(const AttemptKey& key) = 0;
  virtual void attempt_failed(const FailedAttempt& failed) = 0;
  [[nodiscard]] virtual bool may_run_suspect(const AttemptKey& key) = 0;
  [[nodiscard]] virtual bool awaits_notice(const JobRow& job, Offset input_next,
                                           Offset counted) = 0;
  // Tickets are the session's; the loop routes them back by (partition, tenure, number).
  virtual Ticket ticket(PartitionId partition, std::uint64_t tenure, std::uint64_t number) = 0;
  virtual void forget_ticket(Ticket ticket) = 0;  // nothing was appended under it
  virtual TopicId topic(const std::string& name) = 0;
  virtual void renew_outboxes() = 0;
  // For the log: something that an operator should know.
  virtual void notice(PartitionId partition, const std::string& text) = 0;
  // The process must stop with this reason.
  virtual void broken(const std::string& reason) = 0;
  // The queue must stop with this reason: what it stands on is not what it was.
  virtual void refused(const std::string& reason) = 0;
};

struct TenureOptions {
  TaskOptions task;
  std::uint32_t queue_number = 0;  // among the queues of the process
  bool owns_slots = false;         // a partition of the slots topic: no jobs
  std::uint64_t tenure = 0;        // tells this tenure's tickets from an earlier one's
  ClaimNonce nonce;
  LeaseRules lease;
  LastTenure last;
  bool only_after_last = false;  // Owner::Options
  // Under load a commit waits this long, or until it has this many bytes.
  std::chrono::nanoseconds commit_interval = std::chrono::milliseconds(50);
  std::size_t commit_bytes = 128 << 10;
  // The log is trimmed when it is longer than this and than twice the live rows.
  std::uint64_t trim_bytes = 64ULL << 20;
};

class Tenure final : public OwnerHost, public OutboxHost, public TaskHost {
 public:
  static constexpr std::uint64_t kOutboxNumbers = 1ULL << 39;  // marks an outbox number in a ticket
  static constexpr const char* kReleased = "released";         // the end that nobody need hear of

  Tenure(TenureOptions options, std::unique_ptr<Store> store, TenureServices& services);
  ~Tenure() override;

  void start();

  // What the loop routes here.
  void on_bounds(TopicId topic, const Result<Bounds>& bounds, Now now);
  void on_group_offset(const Result<std::optional<Offset>>& offset, Now now);
  void on_records(TopicId topic, std::span<const LogRecord> records, Now now);
  void on_out_of_range(TopicId topic, Now now);
  void on_truncated(TopicId topic, Offset position, Now now);
  void on_state_appended(std::uint64_t number, const Appended& result, Now now);
  void on_outbox_appended(std::uint64_t number, const Appended& result);
  void on_message(HandlerMessage message, Now now);
  void on_killed(const AttemptKey& key, Now now);
  void emit_outbox_again();

  // One step: time, and starts (up to `capacity`; the slots left are returned).
  [[nodiscard]] int turn(int capacity, Now now);
  // Whether what has gathered is to be committed now. `busy`: more input is waiting, so it may
  // gather.
  [[nodiscard]] bool commit_is_due(bool busy, Now now);
  void commit(Now now);
  // What the partition remembers is read in pieces, before it takes input or starts anything.
  [[nodiscard]] bool restoring() const {
    return task_ && !ended() && (outbox_from_ || task_->restoring());
  }
  void restore_some(Now now);
  // What operators have set has changed.
  void set_control(Now now);
  // Whether it could start something now, if there were places.
  [[nodiscard]] bool has_ready(Now now) const;
  // Starts alone.
  [[nodiscard]] int start_ready(int capacity, Now now);
  [[nodiscard]] std::chrono::nanoseconds idle_for(Now now);

  // Leaving: nothing new starts; what runs is asked to stop and may go on until `until`; then the
  // partition is released, or given up when something still runs.
  void leave(Instant until);
  void lose(const std::string& reason);

  [[nodiscard]] bool ended() const { return owner_.ended(); }
  [[nodiscard]] bool leaving() const { return leave_until_.has_value(); }
  [[nodiscard]] bool cut_off() const { return cut_off_; }  // an attempt was ended for the leave
  [[nodiscard]] const std::string& end_reason() const { return end_reason_; }
  [[nodiscard]] std::uint64_t number() const { return options_.tenure; }
  [[nodiscard]] LastTenure tenure() const;
  [[nodiscard]] std::unique_ptr<Store> take_store() { return std::move(store_); }
  // Of a queue's partition, and of one of the slots topic; null before its rows are restored.
  [[nodiscard]] Task* task() { return jobs_; }
  [[nodiscard]] SlotTask* slot_task() { return slots_; }
  [[nodiscard]] const Owner& owner() const { return owner_; }
  [[nodiscard]] const Outbox& outbox() const { return outbox_; }
  // Of the task: what commits that count have recorded, and the attempts that there were.
  [[nodiscard]] TaskCounters counters() const;
  [[nodiscard]] std::uint64_t commits() const { return commits_; }  // that count, of this tenure
  // What waits for its commit leaves no room for another outcome.
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
  void renew_outbox() override { services_.renew_outboxes(); }

  // TaskHost
  [[nodiscard]] std::optional<AttemptResult> start(const AttemptStart& start) override;
  void ask_to_stop(const Token& token) override;
  [[nodiscard]] int partitions_of(std::string_view queue) override {
    return services_.partitions_of(queue);
  }
  void attempt_failed(const FailedAttempt& failed) override { services_.attempt_failed(failed); }
  [[nodiscard]] bool may_run_suspect(const Token& token) override {
    return services_.may_run_suspect(key(token));
  }
  [[nodiscard]] bool awaits_notice(const JobRow& job, Offset input_next) override {
    return services_.awaits_notice(job, input_next, counted_input_);
  }
  [[nodiscard]] std::string held_back(Now now) override;
  [[nodiscard]] bool killed_run() override {
    return services_.leases().holds_back_any(options_.task.partition);
  }
  [[nodiscard]] bool killed_run(std::string_view account) override {
    return services_.leases().holds_back(options_.task.partition, account);
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
  TenureServices& services_;
  std::unique_ptr<Store> store_;
  View view_;
  Outbox outbox_;
  Owner owner_;
  std::unique_ptr<PartitionTask> task_;
  Task* jobs_ = nullptr;                    // is task_, or
  SlotTask* slots_ = nullptr;               // is
  std::optional<std::string> outbox_from_;  // the row at which the outbox's restore goes on
  TopicId state_topic_, input_topic_;

  bool reading_input_ = false;
  bool asked_input_bounds_ = false;
  bool asked_group_offset_ = false;
  std::optional<Instant> ask_input_bounds_at_;  // once more: no broker has told them
  bool placed_ = false;  // the state's place in the input is known: commits may tell of it
  std::optional<std::string> refusal_;  // why the state is not gone on from, once a commit counts
  int bad_bounds_ = 0;                  // answers that are not those of the state's topic
  bool reread_ = false;                 // the task left records: read again from its position
  std::optional<Instant> leave_until_;
  bool cut_off_ = false;
  std::string end_reason_;
  std::optional<Instant> dirty_since_;
  std::deque<Token> killed_;  // whose jobs wait for room in a commit to go back into their lines
  absl::flat_hash_map<std::uint64_t, Executor*> executors_;  // of running attempts, by token number
  // What a commit in flight records, once it counts.
  struct Sent {
    std::uint64_t seq;
    Offset input;
    TaskCounters counters;
  };
  std::deque<Sent> sent_;
  TaskCounters counted_counters_;
  std::optional<Offset> offset_to_commit_;
  Offset counted_input_{0};  // the place in the input of the last commit that counts
  Instant offset_committed_at_{};
  std::optional<Sweep> sweep_;
  std::uint64_t commits_ = 0;
  LogSize log_size_;
  Now now_{};  // of the step under way
};

}  // namespace penstock
