// Decides which job of a partition runs next. Jobs wait in their accounts' lines; accounts, and
// under "fair" their bulks, get turns in the order of the fair queue; a line whose first job must
// wait for something else gets no turn until that is there.
//
//   add -> line -> (blocked until a time | parked at a gate) -> next -> started -> ended
//
// What always holds:
//  - jobs of one line start in its order, and an account runs no more attempts at once than it may;
//  - an account is in the fair queue exactly if it could start something now: nothing polls;
//  - a job that waits for anything but its turn holds nothing that another job may need.
//
// Knows nothing of what a job does or what happens to it. Used by the partition's one thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "consumer/job/line_order.h"
#include "consumer/schedule/batch_collector.h"
#include "consumer/schedule/blocked_lines.h"
#include "consumer/schedule/condition.h"
#include "consumer/schedule/gate_timers.h"
#include "consumer/schedule/kept_jobs.h"
#include "consumer/schedule/lines/line_rest.h"
#include "consumer/schedule/lines/lines.h"
#include "consumer/schedule/lines/ready_lines.h"
#include "consumer/schedule/lines/turns.h"
#include "consumer/schedule/step_bounds.h"
#include "consumer/store/job_store.h"
#include "state/store/view.h"

namespace penstock {

struct SchedulerOptions {
  int account_concurrency = 1;
  Lines::Sharing sharing = Lines::Sharing::kNone;
  std::size_t max_live_jobs = Lines::kMaxLiveJobs;
  std::size_t max_flows = Lines::kMaxFlows;
  StepBounds bounds = {};
  // Shared by all partitions of a loop, which refills it for each pass; absent: each step has its
  // own.
  StepBudget* budget = nullptr;
};

class Scheduler {
 public:
  // `now` is the task's time, which it keeps.
  Scheduler(const SchedulerOptions& options, LineOrder order, View& view, JobStore& store,
            const Time& now);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Adds a condition. Conditions are asked in the order of these calls; each must outlive the
  // scheduler's last job.
  void ask(Condition& condition) { conditions_.push_back(&condition); }

  // -- Jobs that wait

  // The job enters its line, which follows from its row. If there is no room for its account, or it
  // is too far behind in the line, it leaves memory and waits as a row.
  void add(LiveJob* job);
  // Takes a job that waits in memory out of its line.
  void remove(LiveJob* job);
  // A job that is a row only is about to leave or change, and its line may wait because of it.
  void row_changes(const LiveJob& job);
  // The line's first job has changed: the line no longer waits for what the previous one needed.
  void wake(Line& line);
  // The line may have become ready, or is no longer.
  void settle(Line& line);
  void bring_rows();

  // -- Turns

  // The job whose turn it is; null if the rows of its line have ended; nothing if no line is ready.
  [[nodiscard]] std::optional<LiveJob*> next();
  // Whether the job, which is about to start, has to wait for its batch or at a gate; if so, its
  // line waits.
  [[nodiscard]] bool waits(LiveJob* job);
  // The job, and its line with it, has to wait until then.
  void wait_until(LiveJob* job, Time until);
  // The line needs none of its jobs in memory: if memory is crowded, they leave it.
  void spare_memory(Line& line);

  // -- Attempts

  // The job, with its batch if it has one, leaves its line and runs.
  void started(LiveJob* job, const Token& token);
  // The job is no longer running. Its account has room again only after ended().
  struct Seat {
    Flow* flow = nullptr;
    Share* share = nullptr;
  };
  [[nodiscard]] Seat leave(LiveJob* job);
  void ended(const Seat& seat);
  // A batch of this line has ended: the jobs that came meanwhile may run.
  void batch_ended(const Seat& seat, std::string_view line);

  // -- Gates

  // Lines that wait there become ready, as many as there is room for.
  void open(Gate& gate);
  void give_back(const Holds& holds);
  // The job goes on holding until its next iteration what its attempt held.
  void keep(LiveJob* job) { kept_.add(job); }
  // Releases what a job goes on holding; what those hold that exceed a lowered limit; or what all
  // hold.
  void release_holds(LiveJob* job);
  void release_exceeded();
  void release_all();

  // -- Time

  void begin_step() { own_budget_ = StepBudget(bounds_); }
  [[nodiscard]] StepBudget& budget() { return budget_ ? *budget_ : own_budget_; }
  // Lines whose time has come are unblocked, and gates that time has opened.
  void advance(Time now);
  [[nodiscard]] std::optional<Time> next_time() const;

  // -- Looking

  [[nodiscard]] Lines& lines() { return lines_; }
  [[nodiscard]] LineRest& rest() { return rest_; }
  [[nodiscard]] const Turns& turns() const { return turns_; }
  [[nodiscard]] BatchCollector& batches() { return batches_; }
  // The lines that wait for nothing but a place or their account's turn, as far as they have been
  // asked: the first job of others may turn out to need something else.
  [[nodiscard]] ReadyLines& ready_lines() { return ready_lines_; }
  // Whether the first job of a line, whose type is known, needs nothing but its turn.
  [[nodiscard]] bool needs_only_turn(LiveJob* job) const;
  // The line of a job with this row, if its account has it in memory.
  [[nodiscard]] Line* find_line(const JobRow& row);
  [[nodiscard]] bool is_full(const Flow& flow) const { return flow.is_full(account_concurrency_); }

 private:
  void settle(Share& share);
  void settle_room(Flow& flow);
  void leave_gates(Flow& flow);
  void leave_gate(Line& line);
  void park_at(Gate& gate, Line& line);
  [[nodiscard]] bool take_from_copies(Line& line, Gate& gate);
  [[nodiscard]] bool release_holds(Line& line);

  const int account_concurrency_;
  const LineOrder order_;
  JobStore& store_;
  const Time& now_;
  Turns turns_;
  ReadyLines ready_lines_;
  Lines lines_;
  LineRest rest_;
  BlockedLines blocked_;
  GateTimers timers_;
  KeptJobs kept_;
  std::vector<Condition*> conditions_;
  BatchCollector batches_;
  const StepBounds bounds_;
  StepBudget* const budget_;
  StepBudget own_budget_;  // of this step, where the loop gives none
};

}  // namespace penstock
