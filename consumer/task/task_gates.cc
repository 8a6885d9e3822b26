// Task: what a line's first job waits for, and who comes to its turn when that is there.
#include <algorithm>

#include "consumer/task/task.h"
#include "state/rows/keys.h"
#include "topics/partitioner.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {

// The line's first job has changed: it no longer waits for what another needs.
void Task::wake(Line& line) {
  if (line.blocked_until != Time{}) {
    blocked_.erase({line.blocked_until, &line});
    line.blocked_until = Time{};
  }
  leave_gate(line);
  settle(line);
}

// A job that is a row only is to leave or change. Where its line has nothing in memory, it may be
// the one that the line waits with.
void Task::wake_rows(const LiveJob& job) {
  if (job.row_key.front() != keys::kLine || planted(Bug::kRowsNotWoken)) return;
  std::string buffer;
  Flow* const flow = lines_.find(job.row.account);
  Line* const line = flow ? Lines::find(*flow, line_of(job.row, buffer)) : nullptr;
  if (line && line->jobs.empty()) wake(*line);
}

void Task::settle(Line& line) {
  if (line.share) return settle(*line.share);
  settle_room(*line.flow);
}

void Task::settle(Share& share) {
  Flow& flow = *share.flow;
  lines_.weigh(share);
  fair_.settle(share);
  if (share.idle()) Lines::forget(share);
  settle_room(flow);
}

void Task::settle(Flow& flow) {
  if (flow.shares) {
    for (const auto& [name, share] : flow.shares->by_name) {
      lines_.weigh(*share);
      fair_.settle(*share);
    }
  }
  settle_room(flow);
}

// Enters the flow into the fair queue or takes it out, by whether it can run something now. A flow
// without room waits at no gate: a place would be promised to somebody who cannot use it.
void Task::settle_room(Flow& flow) {
  const bool room =
      !flow.is_full(options_.queue.account_concurrency) || planted(Bug::kConcurrencyIgnored);
  if (!room) leave_gates(flow);
  fair_.settle(flow, room);
  if (!flow.idle()) return;
  flow.each([&](Line& line) {
    if (line.blocked_until != Time{}) blocked_.erase({line.blocked_until, &line});
  });
  lines_.forget(flow);
}

// First all of them leave, then the gates open: none is promised to the next of the same flow. What
// they have found closed before counts on: an account that is often full would never be patient.
void Task::leave_gates(Flow& flow) {
  std::vector<Gate*> left;
  const auto leave = [&](Line& line) {
    if (!line.gate.kept.empty()) return;
    const int looks = line.gate.looks;
    const std::vector<Gate*> promised = Gate::leave(line);
    left.insert(left.end(), promised.begin(), promised.end());
    line.gate.looks = looks;
    if (line.share) fair_.settle(*line.share);
  };
  flow.shares ? flow.shares->at_gates.each(leave) : flow.each(leave);
  for (Gate* const gate : left) open(*gate);
}

void Task::leave_gate(Line& line) {
  for (Gate* const gate : Gate::leave(line)) open(*gate);
}

// One that has waited for several limits in turn for long keeps the others (Limits::others).
void Task::park_at(Gate& gate, Line& line) {
  LiveJob* const job = line.jobs.first();
  const auto others = limits_.others(*job, gate);
  const int looks = others ? std::min(line.gate.looks + 1, Gate::kMaxLooks) : 0;
  const std::vector<Gate*> left = Gate::leave(line);
  if (others && looks == Gate::kMaxLooks) {
    for (Limit* const limit : others->before) limit->keep_for(line);
    for (Limit* const limit : others->behind) {
      if (limit->admits(line)) limit->keep_for(line);
    }
  }
  for (Gate* const promised : left) open(*promised);
  line.gate.looks = looks;
  gate.park(line, fair_.tag(line));
  if (line.share) line.flow->shares->at_gates.add(line);
  watch(gate);
  settle(line);
}

// The lines that wait there come to their turn, as many as places are free. Those that this step
// has no room for come in the next ones.
void Task::open(Gate& gate) {
  if (planted(Bug::kGateSleeps)) return;
  for (std::size_t& left = budget().woken_lines; left > 0; --left) {
    Line* const line = gate.next_waiter();
    if (!line) break;
    settle(*line);
  }
  watch(gate);
}

// Keeps the time at which a gate opens by itself while lines wait there: now, where some may go.
void Task::watch(Gate& gate) {
  std::optional<Time> at;
  if (gate.waiting() > 0) at = gate.opens_at();
  if (gate.wakes() && !planted(Bug::kOpensOnce)) at = clock_;
  if (gate.timer.number != 0) {
    if (at == gate.timer.at) return;
    timed_gates_.erase(&gate);
    gate.timer = {};
  }
  if (!at) return;
  gate.timer = {*at, ++timers_};
  timed_gates_.insert(&gate);
}

void Task::open_due(Now now) {
  for (int left = kMaxDueAStep; left > 0 && budget().woken_lines > 0 && !timed_gates_.empty();
       --left) {
    Gate& gate = **timed_gates_.begin();
    if (gate.timer.at > now.wall) return;
    timed_gates_.erase(timed_gates_.begin());
    gate.timer = {};
    open(gate);
  }
}

// A line that waits needs none of its jobs in memory where there is no room for them.
void Task::spare_memory(Line& line) {
  if (lines_.is_crowded()) lines_.trim_saved(line, 0);
}

// The code that runs on has its place in the account, the locks and the slots that its attempt had,
// and the task counts none of them any more. All but the slots of shared limits belong to its
// account.
bool Task::overlaps_killed(const LiveJob& job) {
  if (!host_.killed_run() || planted(Bug::kKilledForgotten)) return false;
  if (host_.killed_run(job.row.account)) return true;
  const std::vector<LimitPolicy>& limits = job.type->policy.limits;
  return std::any_of(limits.begin(), limits.end(),
                     [](const LimitPolicy& limit) { return !limit.is_local(); });
}

// What the job has to wait for before it may start, if anything.
Gate* Task::closed_gate(LiveJob* job) {
  if (overlaps_killed(*job)) {
    killed_gate_.close();
    return &killed_gate_;
  }
  if (host_.awaits_notice(job->row, input_next_) && !planted(Bug::kNoticeNotAwaited)) {
    notice_gate_.close();
    return &notice_gate_;
  }
  if (control_ && control_->has_pauses()) {
    if (Gate* const pause = closed_pause(job)) return pause;
  }
  if (Gate* const breaker = breakers_.closed(*job, *job->line)) return breaker;
  if (Gate* const limit = limits_.closed(job, *job->line)) return limit;
  if (!job->type->policy.unique) return nullptr;
  know_unique(job);
  return UniqueGates::is_exclusive(*job->type->policy.unique)
             ? unique_gates_.closed(job, *job->line)
             : nullptr;
}

Gate* Task::closed_pause(const LiveJob* job) {
  const std::string& queue = options_.queue.name;
  for (const PauseTarget& target :
       {PauseTarget{queue, {}, {}}, PauseTarget{queue, job->row.type, {}},
        PauseTarget{queue, {}, job->row.account}}) {
    if (planted(Bug::kPauseIgnored) && !target.account.empty()) continue;
    const std::string key = pause_key(target);
    const Pause* const pause = control_->pause(key);
    if (!pause) continue;
    std::unique_ptr<PauseGate>& gate = pauses_[key];
    if (!gate) gate = std::make_unique<PauseGate>(target);
    gate->set(pause);
    return gate.get();
  }
  return nullptr;
}

void Task::set_control(const Control* control, Now now) {
  clock_ = now.wall;
  control_ = control;
  for (const auto& [key, gate] : pauses_) {
    gate->set(control ? control->pause(key) : nullptr);
    open(*gate);
  }
  absl::erase_if(pauses_, [](const auto& entry) {
    const PauseGate& gate = *entry.second;
    return gate.unused() && gate.timer.number == 0 && gate.room() != 0;
  });
  limits_.set_control(control);
  let_exceeded_go();
  limits_.each([&](Limit& limit) {
    let_promises_go(limit);
    open(limit);
  });
}

// What is kept until attempts have ended is not kept until an operator or another partition acts.
void Task::let_promises_go(Limit& limit) {
  if (limit.ends_by_itself()) return;
  for (Line* const line : limit.patient_lines()) wake(*line);
}

// Only what is said and heard in commits that count moves slots: the outbox carries it.
void Task::exchange_slots(const SlotStanding& standing, Now now) {
  clock_ = now.wall;
  if (restoring()) return;
  if (standing.leaving) let_all_go();
  if (!standing.waited && !planted(Bug::kSlotsAckedInWait)) return;
  const auto room = [this] { return wants_input(); };
  limits_.shared().settle(standing.leaving, room, [&](const SharedLimit& limit, SlotReport report) {
    if (planted(Bug::kSlotsReportLost) && report.version % 4 == 3) return;
    ++counters_.slot_reports;
    report.from = {options_.queue.name, options_.partition};
    OutboxMessage message;
    message.key = limit.name();
    message.value = to_json(report);
    const PartitionId owner = partition_of(limit.name(), options_.slots_partitions);
    outbox_.send({slots_topic(options_.prefix), owner}, message, commit_seq_);
  });
}

void Task::take_target(const LogRecord& record) {
  const auto target =
      record.key && record.value ? parse_slot_target(*record.value) : failure("a tombstone");
  if (!target) return;
  ++counters_.slot_targets;
  SharedLimit* const limit = limits_.shared().take_target(std::string(*record.key), *target);
  let_exceeded_go();
  if (!limit) return;
  let_promises_go(*limit);
  open(*limit);
}

}  // namespace penstock
