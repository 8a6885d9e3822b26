// The core: what one partition of a queue decides. A single-writer state machine without I/O,
// clock, threads or chance: records, outcomes and time come in with each call; rows go into the
// view, messages into the outbox, and attempts are started through the host. The simulator drives
// this very class.
//
//   records -> admit -> (line | due | unknown type) -> start_ready -> attempt_ended -> rows, outbox
//
// What always holds:
//  - a job has one row and one identity row, or is in memory only until the next commit (save);
//  - a job that ends before its commit leaves only its identity in the dedup chunk ("short way");
//  - the position in the input moves in the same commit as what was made of the records before it;
//  - an outcome that names no running attempt of this tenure changes nothing.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/bulk/bulks.h"
#include "consumer/bulk/item_times.h"
#include "consumer/gates/breakers.h"
#include "consumer/gates/pause_gate.h"
#include "consumer/gates/poll_gate.h"
#include "consumer/job/handler.h"
#include "consumer/job/job_batch.h"
#include "consumer/limits/limits.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/line_rest.h"
#include "consumer/schedule/lines.h"
#include "consumer/schedule/turns.h"
#include "consumer/store/commit_room.h"
#include "consumer/store/due_index.h"
#include "consumer/task/partition_task.h"
#include "consumer/task/restoration.h"
#include "consumer/task/task_counters.h"
#include "consumer/task/task_options.h"
#include "consumer/unique/unique_gates.h"
#include "consumer/unique/unique_locks.h"
#include "state/log/outbox.h"
#include "state/rows/dedup_index.h"
#include "state/store/view.h"
#include "topics/names.h"
#include "topics/record/dead_letter.h"
#include "topics/record/event_record.h"
#include "topics/record/job_decoder.h"

namespace penstock {

// Headers that Penstock's own records carry; they are stripped on reception.
inline constexpr std::string_view kOriginHeader = "penstock-origin";    // of a forwarded record
inline constexpr std::string_view kCrashHeader = "penstock-crashed";    // a notice, of an id
inline constexpr std::string_view kDerivedHeader = "penstock-derived";  // longer ids allowed

// After this many process deaths with the same job in flight it is dead as `crashed`.
inline constexpr int kMaxCrashes = 3;
// After one less it is a suspect, which waits so long while another one runs in the process.
inline constexpr Duration kSuspectWait{200};
[[nodiscard]] inline bool is_suspect(const JobRow& row) { return row.crashes >= kMaxCrashes - 1; }

// `Now::wall` is cut to the millisecond: what an outcome begins counts from its end.
inline constexpr Duration kWallResolution{1};

// An attempt to start. Views into the job: good until the call returns.
struct AttemptStart {
  Token token;
  const LiveJob& job;
  const TypeRuntime& type;
  // The job's arguments, raw JSON; decodes the record, so only who needs them asks.
  [[nodiscard]] std::string args() const;
  // Of a batch; none: it is the job alone.
  [[nodiscard]] std::vector<AttemptItem> items() const;
};

// What comes of an attempt, with the jobs that it wants to be produced.
struct AttemptResult {
  OutcomeValue outcome;
  std::vector<FollowUp> enqueue;
  ItemOutcomes items = {};
  std::optional<std::chrono::microseconds> took = {};
};

// An attempt that has failed, for the log. Good until the call returns.
struct FailedAttempt {
  const JobRow& row;
  int attempt;
  int max_attempts;
  std::string_view error;
  std::optional<Time> again;  // when the next one is due; absent: it was the last, the job is dead
};

class TaskHost {
 public:
  virtual ~TaskHost() = default;
  // Starts an attempt. An outcome that is there at once is returned; others come to attempt_ended.
  [[nodiscard]] virtual std::optional<AttemptResult> start(const AttemptStart& start) = 0;
  virtual void ask_to_stop(const Token& token) = 0;
  // The partition count of another queue of this process's config; 0 where it is not known.
  [[nodiscard]] virtual int partitions_of(std::string_view queue) = 0;
  virtual void attempt_failed(const FailedAttempt&) {}
  // Whether an attempt with this token may start of a job that could be what kills the process: one
  // of them runs at a time, so that a death tells which one it is. Over when the attempt is.
  [[nodiscard]] virtual bool may_run_suspect(const Token&) { return true; }
  // Whether the process before this one died with this job in flight, and the notice of that lies
  // behind what the task has read. It must not start before: what it may be would not be known.
  [[nodiscard]] virtual bool awaits_notice(const JobRow&, Offset) { return false; }
  // Whether the code of an attempt of the partition that was killed runs on in this process, after
  // the task has heard of its end or in an earlier tenure; whether it is one of this account.
  [[nodiscard]] virtual bool killed_run() { return false; }
  [[nodiscard]] virtual bool killed_run(std::string_view) { return false; }
  // What keeps everything of the partition from starting, for a person; empty: nothing.
  [[nodiscard]] virtual std::string held_back(Now) { return {}; }
};

// A job as the API shows it.
struct JobInfo {
  JobRow row;
  JobState state;
  int max_attempts = 0;
  std::string why;  // what a live job waits for, one sentence
};

class Task final : public PartitionTask {
 public:
  // See consumer/store/commit_room.h.
  static constexpr std::size_t kMaxUnsavedBytes = kMaxGatheredBytes;
  static constexpr std::size_t kMaxDueBytes = kMaxUnsavedBytes / 4;  // leaves room for others
  static constexpr std::size_t kMaxDueAStep = 2000;
  static constexpr Duration kPruneEvery{1000};
  // Due jobs are brought in by one scan for many: so many, or a few more bytes than these.
  static constexpr std::size_t kDueAScan = 500, kDueBytesAScan = 256 << 10;

  Task(TaskOptions options, View& view, Outbox& outbox, TaskHost& host);
  ~Task() override;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Whether these rows are this queue's, in a format that this version reads; if not, the way out.
  [[nodiscard]] static Status check_state(View& view, const QueuePolicy& queue);

  void restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) override;
  [[nodiscard]] bool restoring() const override { return restoration_.has_value(); }
  void restore_some(Now now) override;
  void admit(std::span<const LogRecord> records, Now now) override;
  [[nodiscard]] bool wants_input() const override;
  [[nodiscard]] Offset input_next() const override { return input_next_; }
  void skip_to(Offset next) override;
  [[nodiscard]] Arrivals& arrivals() override { return arrivals_; }
  void set_control(const Control* control, Now now) override;

  void attempt_ended(const Token& token, AttemptResult result, Now now);
  // With what the handler has asked for since the last one. What is wrong with that fails the
  // attempt when it ends, and neither this cursor nor a later one is saved.
  void checkpoint(const Token& token, std::string cursor, std::span<const FollowUp> enqueue = {});
  // How far the attempt is: part of the job's state, of a batch's first one's.
  void progress(const Token& token, std::int64_t n, std::int64_t total);

  // Time has passed: due jobs enter their lines, expired ones end, identities are forgotten.
  void advance(Now now) override;
  void exchange_slots(const SlotStanding& standing, Now now) override;
  // Starts up to `capacity` attempts; returns how many slots are left (instant ones give theirs
  // back). Fewer when what they change or send would have no room (wants_input), or when so many
  // picks have started nothing that the rest comes in the next step.
  [[nodiscard]] int start_ready(int capacity, Now now);
  [[nodiscard]] bool has_ready() const { return !restoring() && !fair_.empty(); }
  [[nodiscard]] std::optional<Time> next_time() override;

  void save(std::uint64_t seq) override;
  [[nodiscard]] bool dirty() const override { return view_.dirty() || !unsaved_.empty() || dirty_; }
  [[nodiscard]] std::size_t unsaved_bytes() const override;

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  void ask_all_to_stop();
  [[nodiscard]] std::vector<Token> running_tokens() const;

  [[nodiscard]] bool shares_limits() { return limits_.shared().any(); }
  // Reports that exchange_slots() has left for a later commit.
  [[nodiscard]] bool has_reports() const { return limits_.shared().held_up(); }

  [[nodiscard]] const TaskCounters& counters() const { return counters_; }
  // Of the bulks' chunks that have ended here.
  [[nodiscard]] const ItemTimes& item_times() const { return item_times_; }
  [[nodiscard]] const Turns& fair() const { return fair_; }
  [[nodiscard]] std::uint64_t jobs() const { return identity_rows_; }
  [[nodiscard]] std::size_t live_jobs() const { return pool_.in_use(); }

  // Queries.
  [[nodiscard]] std::optional<JobInfo> find(std::string_view account, std::string_view id, Now now);
  using JobFunction = std::function<bool(const JobInfo&)>;  // false: enough
  void each_job(Now now, const JobFunction& function);

  // Who holds the lock of a unique key, and who keeps others of it from starting: ids, each once.
  [[nodiscard]] std::vector<std::string> lock_holders(const Digest& key, Now now);

  // One bounded piece of a walk over the jobs: those in line (the running ones among them), then
  // those that wait for their time, of unknown type, and ended; within each by the keys of their
  // rows. A job that has no row yet stands where its row will be. The walk goes on behind the key
  // that is returned; nothing: it is over.
  static constexpr int kMaxRowsAPiece = 512;
  static constexpr std::size_t kMaxBytesAPiece = 1 << 20;
  struct WalkPiece {
    std::string after;                    // a key that a piece returned; empty: from the start
    std::string account;                  // only this account's; empty: all
    std::vector<std::string> containing;  // rows without one of these texts are passed over
    bool live = true, ended = true;
    int max_rows = kMaxRowsAPiece;
  };
  using WalkFunction = JobFunction;  // false: the piece ends behind this job
  [[nodiscard]] std::optional<std::string> walk(const WalkPiece& piece, Now now,
                                                const WalkFunction& function);
  [[nodiscard]] static bool is_walk_key(std::string_view key);

  // Bulks as Bulks::walk() has them, with how many of their chunks run.
  struct BulkProgress {
    Bulks::Progress bulk;
    std::size_t running = 0;
  };
  using BulkFunction = std::function<void(const BulkProgress&)>;
  [[nodiscard]] std::optional<std::string> walk_bulks(const std::string& after,
                                                      std::string_view account, int most,
                                                      const BulkFunction& function);
  [[nodiscard]] static bool is_bulk_key(std::string_view key);

  // The accounts that have rows in line, in the order of their keys; as walk().
  struct AccountTally {
    std::string account;
    std::uint64_t jobs = 0;  // rows of this piece
    std::size_t running = 0;
  };
  using TallyFunction = std::function<void(const AccountTally&)>;
  [[nodiscard]] std::optional<std::string> tally_accounts(const std::string& after, int max_rows,
                                                          const TallyFunction& function);

 private:
  struct Incoming;  // a record with what its transport headers said

  // admission
  void admit_one(const LogRecord& record, Now now);
  [[nodiscard]] bool read_headers(const LogRecord& record, Incoming& incoming);
  void reject(const LogRecord& record, const Incoming& incoming, const BadRecord& bad, Now now);
  void forward(const LogRecord& record, const Incoming& incoming, PartitionId to);
  void admit_job(const LogRecord& record, const Incoming& incoming, const JobRecord& job, Now now);
  [[nodiscard]] bool is_duplicate(const Digest& digest);
  LiveJob* fill(const LogRecord& record, const JobRecord& job, std::string_view id, Now now);
  void place(LiveJob* job, Now now);
  void end_unknown_type(LiveJob* job, Now now);
  void park(LiveJob* job);
  [[nodiscard]] std::vector<std::string> parked_known_types();
  void unpark_known_types(Now now);

  // uniqueness
  enum class Folded : std::uint8_t { kYes, kRuns, kEnded };
  [[nodiscard]] bool admit_unique(LiveJob* job, const JobRecord& record, Now now);
  void take_unique(LiveJob* job, Now now);
  [[nodiscard]] bool meet_holders(LiveJob* job, std::string_view args, Now now);
  void end_folded(LiveJob* job, std::string_view into, Now now);
  [[nodiscard]] Folded fold_into(const UniqueLocks::Holder& holder, LiveJob* job,
                                 std::string_view args, Now now);
  void give_args(LiveJob* held, std::string value);
  [[nodiscard]] static Time debounced(const JobRow& held, Time run_at);
  void rewrite(LiveJob* held, bool in_memory, Time run_at, Now now);
  void know_unique(LiveJob* job);
  void start_unique(LiveJob* job, Now now);
  void pause_unique(LiveJob* job);
  void end_unique(LiveJob* job);
  [[nodiscard]] bool retake_unique(LiveJob* job, Now now);
  void open_unique(UniqueGate* gate, std::uint64_t attempt);
  void put_meta(std::string_view key, std::uint32_t value);

  // lines
  void enter_line(LiveJob* job);
  void leave_row(LiveJob* job);
  void wake(Line& line);
  void wake_rows(const LiveJob& job);
  // After a change: of a line; of a share; of what an account may run, and of all its lines.
  void settle(Line& line);
  void settle(Share& share);
  void settle(Flow& flow);
  void settle_room(Flow& flow);
  void leave_gates(Flow& flow);

  // gates
  void leave_gate(Line& line);
  void let_promises_go(Limit& limit);
  void park_at(Gate& gate, Line& line);
  void open(Gate& gate);
  void watch(Gate& gate);
  [[nodiscard]] StepBudget& budget() { return options_.budget ? *options_.budget : own_budget_; }
  void unblock_due(Now now);
  void open_due(Now now);
  void spare_memory(Line& line);
  [[nodiscard]] Gate* closed_gate(LiveJob* job);
  [[nodiscard]] bool overlaps_killed(const LiveJob& job);
  [[nodiscard]] Gate* closed_pause(const LiveJob* job);
  void take_target(const LogRecord& record);
  // `buffer` holds the name where the row has none as it stands.
  [[nodiscard]] std::string_view line_of(const JobRow& row, std::string& buffer) const;
  [[nodiscard]] std::string line_key(const LiveJob* job) const;
  [[nodiscard]] LinePlace place_of(const JobRow& row) const;
  void write_row(LiveJob* job, std::string key);
  void erase_row(LiveJob* job);
  void to_due(LiveJob* job);
  [[nodiscard]] LiveJob* load(const std::string& key);
  [[nodiscard]] LiveJob* load(std::string_view key, std::string_view row);
  [[nodiscard]] std::vector<LiveJob*> load_due(const keys::TimeKey& first, std::size_t most,
                                               Now now);
  void place_due(Now now);
  void mark_unsaved(LiveJob* job);
  void forget_unsaved(LiveJob* job);
  void release(LiveJob* job);
  void detach(LiveJob* job);

  // batches
  // Whether the line waits for its next batch, from now on if not before.
  [[nodiscard]] bool batch_waits(LiveJob* first, Now now);
  // A job comes into the line. True: what the line waits for is to be looked at again.
  [[nodiscard]] bool joins_batch(Line& line, const LiveJob* job);
  [[nodiscard]] std::unique_ptr<Collection> collect(LiveJob* first);
  [[nodiscard]] std::unique_ptr<JobBatch> gather(LiveJob* first, Now now);
  [[nodiscard]] static bool can_join(const LiveJob* first, const LiveJob* job, Time now);
  [[nodiscard]] bool shares_limits(LiveJob* first, LiveJob* job);
  [[nodiscard]] bool may_run_beside(const JobBatch& batch, LiveJob* job);
  [[nodiscard]] int batch_size(const LiveJob* first) const;
  [[nodiscard]] LiveJob* running_batch(const Line& line) const;
  [[nodiscard]] bool all_cancelled(LiveJob* running) const;
  void block(Line& line, Time until);
  void batch_ended(Flow& flow, std::string_view name);
  void finish_batch(const JobBatch& batch, AttemptResult result, Now now);
  void finish_alone(const JobBatch::Item& item, OutcomeValue outcome, Now now);
  void finish_item(const JobBatch::Item& item, const OutcomeValue& outcome, Now now);
  void finish_folded(LiveJob* job, const std::string& stood, const OutcomeValue& outcome, Now now);
  void finish_rest(std::span<const JobBatch::Item> rest, OutcomeValue outcome, Now now);
  void retry_together(std::span<const JobBatch::Item> items, RetryLater failed, Now now);
  void split(std::span<const JobBatch::Item> items, const RetryLater& failed, Duration wait,
             Now now);
  void go_on_together(std::span<const JobBatch::Item> items, const NextIteration& next, Now now);
  void take_lead(LiveJob* first);
  void move_cursor(LiveJob* from, LiveJob* to);
  void leave_cursor(LiveJob* job);
  [[nodiscard]] Heirs leave_cursor_in_line(JobRow& row);
  Heirs leave_cursor_in_rows(JobRow& row, const std::string& from, const std::string& to);
  static void keep_cursor(std::span<const JobBatch::Item> items, const OutcomeValue& outcome,
                          std::string cursor);

  // attempts
  void start(LiveJob* job, Now now, int& capacity);
  void leave_for_attempt(LiveJob* job, const Token& token, Now now);
  [[nodiscard]] bool can_start(LiveJob* job, Now now);
  [[nodiscard]] bool may_start_suspect(LiveJob* job, Now now);
  void finish(LiveJob* job, AttemptResult result, Now now);
  void finish_as(LiveJob* job, const Done& outcome, Now now);
  void finish_as(LiveJob* job, const NextIteration& outcome, Now now);
  void finish_as(LiveJob* job, const RetryLater& outcome, Now now);
  void finish_as(LiveJob* job, const Snooze& outcome, Now now);
  void finish_as(LiveJob* job, const Discard& outcome, Now now);
  void finish_as(LiveJob* job, const CancelJob& outcome, Now now);
  void finish_as(LiveJob* job, const Interrupted& outcome, Now now);
  void wait_for(LiveJob* job, Duration wait, JobState state, Now now);
  void again(LiveJob* job);

  // iterations
  struct Holds {
    std::vector<Limit*> limits;
    std::vector<UniqueGate*> gates;
    std::uint64_t limits_as = 0, gates_as = 0;  // the attempts' numbers
  };
  void refuse_unfit(LiveJob* job, AttemptResult& result);
  void count_run(LiveJob* job, const JobBatch* batch, const OutcomeValue& outcome, Now now);
  [[nodiscard]] static bool has_run_long(const LiveJob& job);
  void give_turn_up(LiveJob* job, Now now);
  // Of an attempt that has ended: what its job does not keep until the next iteration.
  [[nodiscard]] Holds leave_holds(LiveJob* job, const JobBatch* batch, const AttemptResult& result);
  [[nodiscard]] static LiveJob* keeper(LiveJob* job, const JobBatch* batch,
                                       const AttemptResult& result);
  void release_limits(const Holds& holds);
  void release_gates(const Holds& holds);
  // A job that waits gives up what it has kept; all of a line; who has no room; all.
  void let_go(LiveJob* job);
  bool let_go(Line& line);
  void let_exceeded_go();
  void let_all_go();
  [[nodiscard]] std::string between_iterations(const JobRow& row, const LiveJob* live) const;

  [[nodiscard]] std::optional<std::string> produce(LiveJob* job, std::span<const FollowUp> jobs);
  void end(LiveJob* job, JobState state, std::string_view reason, Now now);
  void end_as_asked(LiveJob* job, Now now);
  void bury(LiveJob* job, DeadReason reason, std::string_view detail, Now now);
  void remember(LiveJob* job, Now now);
  void chunk_ended(const JobRow& chunk, Now now);
  void measure_chunk(const JobRow& chunk, const AttemptResult& result, Now now);
  void emit_event(EventKind kind, const JobRow& row, const Token* token, std::string_view reason,
                  Now now);

  // commands
  void command(const JobRecord& command, Now now);
  void crash_notice(const LogRecord& record, Now now);
  void bury_crashed(LiveJob* job, Now now);
  [[nodiscard]] LiveJob* bring(std::string_view account, std::string_view id);
  void take_out(LiveJob* job);
  [[nodiscard]] LiveJob* load_by_identity(std::string_view account, std::string_view id);
  [[nodiscard]] LiveJob* find_live(std::string_view account, std::string_view id);
  void ask_to_end(LiveJob* job, Asked asked);
  void cancel(LiveJob* job, Now now);
  void delete_job(LiveJob* job, Now now);
  void erase_identity(LiveJob* job);
  void run_again(LiveJob* job, Now now);
  void forget_expiry(LiveJob* job);
  void reschedule(LiveJob* job, Time run_at, Now now);
  void put_back(LiveJob* job, Now now);
  void expire_due(Now now);
  [[nodiscard]] LiveJob* take_expiring(const keys::TimeKey& due, std::string_view account,
                                       std::string_view id);
  void prune(Now now);
  [[nodiscard]] bool prune_ended(Now now);
  void prune_identities(Now now);

  // queries
  struct Walker;
  [[nodiscard]] const LiveJob* in_memory(std::string_view key, const JobRow& row);
  [[nodiscard]] JobInfo describe(const JobRow& row, const LiveJob* live, Now now);
  [[nodiscard]] std::string why(const JobRow& row, JobState state, const LiveJob* live, Now now);
  [[nodiscard]] static std::string until_when(const JobRow& row, JobState state, Now now);
  [[nodiscard]] std::string who_waits_before(const Line& line, const JobRow& row) const;
  [[nodiscard]] std::string whose_turn(const Line& line) const;
  [[nodiscard]] std::string who_is_before(const Line& line, const JobRow& row, const LiveJob* live);
  [[nodiscard]] std::size_t rows_before(const Line& line, const LinePlace& place);

  TaskOptions options_;
  QueueNames names_;
  View& view_;
  Outbox& outbox_;
  Arrivals arrivals_;
  TaskHost& host_;

  Token last_token_;  // of the latest attempt
  Offset input_next_{0};
  std::uint64_t commit_seq_ = 1;  // of the commit being built

  JobDecoder decoder_;
  LiveJobPool pool_;
  Turns fair_;
  Lines lines_;
  LineRest rest_;
  Bulks bulks_;
  DueIndex due_;
  DueIndex expiries_;
  DedupWindow window_;
  DedupIndex dedup_;
  absl::btree_set<std::pair<Time, Line*>, BlockedLess> blocked_;  // by the time until which
  absl::flat_hash_map<std::uint64_t, LiveJob*> running_;          // by the token's number
  // Jobs that keep something between iterations, by the number of the attempt that has ended and
  // their offset.
  absl::btree_map<std::pair<std::uint64_t, Offset>, LiveJob*> kept_;
  std::int64_t last_turn_ = 0;  // that somebody has got who gave his own up
  std::vector<LiveJob*> unsaved_;
  std::size_t unsaved_bytes_ = 0;
  absl::flat_hash_map<const TypeRuntime*, BatchSizer> sizers_;
  ItemTimes item_times_;
  ArgumentsDigest arguments_;
  Time clock_{};  // of the call that is being answered
  Limits limits_;
  UniqueLocks unique_locks_;
  UniqueGates unique_gates_;
  Breakers breakers_;
  PollGate notice_gate_{clock_, "the notice of a worker process that died while it ran to be read"};
  PollGate killed_gate_{clock_, "an attempt that its worker has ended, and that runs on, to stop"};
  const Control* control_ = nullptr;
  absl::btree_map<std::string, std::unique_ptr<PauseGate>> pauses_;  // by control key
  absl::btree_set<Gate*, GateTimerLess> timed_gates_;
  std::uint64_t timers_ = 0;
  std::optional<Restoration> restoration_;
  StepBudget own_budget_;   // of this step, where the loop gives none
  bool unparking_ = false;  // jobs may be parked whose type is known by now
  bool dirty_ = false;      // the input position or a meta row has moved
  std::uint64_t identity_rows_ = 0;
  std::string ended_digests_;  // the dedup chunk being filled
  std::uint32_t ended_bucket_ = 0;
  Time next_prune_{};
  bool pruning_ = false;  // more is over than one step has pruned
  TaskCounters counters_;
};

}  // namespace penstock
