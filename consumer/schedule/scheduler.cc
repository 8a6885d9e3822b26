#include "consumer/schedule/scheduler.h"

#include <algorithm>
#include <utility>

#include "consumer/policy/type_table.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

// What the job has to wait for before it may start, if anything.
Gate* closed_gate(const std::vector<Condition*>& conditions, LiveJob* job) {
  for (Condition* const condition : conditions) {
    if (Gate* const gate = condition->closed(job, *job->line)) return gate;
  }
  return nullptr;
}

std::optional<Condition::Others> others(const std::vector<Condition*>& conditions,
                                        const LiveJob& job, const Gate& gate) {
  for (Condition* const condition : conditions) {
    if (auto found = condition->others(job, gate)) return found;
  }
  return std::nullopt;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, LineOrder order, View& view, JobStore& store,
                     const Time& now)
    : account_concurrency_(options.account_concurrency),
      order_(order),
      store_(store),
      now_(now),
      turns_(options.sharing),
      lines_(view, store.pool(), options.sharing, &turns_.clock(), options.max_live_jobs,
             options.max_flows),
      rest_(view, lines_),
      batches_(order, lines_, blocked_, conditions_, now),
      bounds_(options.bounds),
      budget_(options.budget) {}

Scheduler::~Scheduler() {
  // The gates outlive the lines, and check that no line waits at them when they go.
  lines_.each([](Flow& flow) { flow.each([](Line& line) { (void)Gate::leave(line); }); });
}

// -- Jobs that wait

void Scheduler::add(LiveJob* job) {
  job->place = order_.place_of(job->row);
  job->turn = LineOrder::turn_of(job->place, job->row.is_copy());
  // A job that comes from an attempt can go on as of now, one that had to wait for its time since
  // then, and any other one since it came.
  const bool comes_back = job->row.started_at != Time{} && job->row.run_at <= job->row.started_at;
  job->ready_since = std::max(job->ready_since, comes_back ? now_ : ready_since(job->row));
  // Its row alone waits until there is room.
  if (!lines_.has_room_for(job->row.account)) {
    store_.move(job, Place::kLine);
    const Time since = job->ready_since;
    store_.release(job);
    return rest_.left(since);
  }
  // If rows of the account were left out of memory, all of its lines come in: one of the others may
  // have the job whose turn it is.
  if (rest_.any() && !lines_.find(job->row.account)) {
    rest_.bring(job->row.account, [this](Line& found) { settle(found); });
  }
  Flow& flow = lines_.make(job->row.account);
  std::string buffer;
  Line& line = Lines::make(flow, order_.line_of(job->row, buffer));
  if (job->keeps()) {
    job->place.order = kGoesOnFirst;
    // Or loading the line would load the job a second time.
    store_.erase_row(job);
    lines_.load_to(line, job->place);
  }
  // Before the job is in the line: it is compared with the line's first.
  const bool changes = batches_.joins(line, job);
  if (!Lines::loads(line, job->place)) {
    store_.move(job, Place::kLine);
    store_.release(job);
    return changes ? wake(line) : settle(line);
  }
  Lines::insert(line, job);
  store_.mark_unsaved(job);
  // A new first job need not wait for what the previous one waited for.
  if (changes || line.jobs.first() == job) return wake(line);
  // With more jobs, the line may have use for more slots of a shared limit.
  if (line.gate.waits_at) line.gate.waits_at->joined();
  // The line may wait for what this job goes on holding.
  const bool line_waits = !line.gate.unused() || line.blocked_until != Time{};
  if (job->keeps() && line_waits) release_holds(job);
  settle(line);
}

void Scheduler::remove(LiveJob* job) {
  if (!job->line) return;
  Line& line = *job->line;
  if (job->keeps()) release_holds(job);
  const bool first = line.jobs.first() == job;
  const bool changes = first || line.collection;
  line.jobs.remove(job);
  line.collection.reset();
  job->line = nullptr;
  job->flow = nullptr;
  changes ? wake(line) : settle(line);
}

void Scheduler::row_changes(const LiveJob& job) {
  if (job.row_key.front() != keys::kLine) return;
  Line* const line = find_line(job.row);
  // With no job in memory, the line may wait on behalf of this one.
  if (line && line->jobs.empty()) wake(*line);
}

void Scheduler::wake(Line& line) {
  blocked_.unblock(line);
  leave_gate(line);
  settle(line);
}

void Scheduler::bring_rows() {
  rest_.bring([this](Line& line) { settle(line); });
}

void Scheduler::settle(Line& line) {
  ready_lines_.settle(line, now_);
  if (line.share) return settle(*line.share);
  settle_room(*line.flow);
}

void Scheduler::settle(Share& share) {
  Flow& flow = *share.flow;
  lines_.weigh(share);
  turns_.settle(share);
  // The share may be gone from here on, hence `flow`.
  if (share.idle()) Lines::forget(share);
  settle_room(flow);
}

// Puts the flow into the fair queue or takes it out, depending on whether it can start something
// now. A flow without room waits at no gate: a slot would be promised to an account that cannot use
// it.
void Scheduler::settle_room(Flow& flow) {
  const bool room = !is_full(flow);
  if (!room) leave_gates(flow);
  turns_.settle(flow, room);
  if (!flow.idle()) return;
  // The lines go with the flow, so nothing may still know them.
  flow.each([&](Line& line) { blocked_.unblock(line); });
  lines_.forget(flow);
}

// -- Turns

std::optional<LiveJob*> Scheduler::next() {
  const Turns::Turn turn = turns_.pick(budget().copies_started > 0);
  if (!turn.flow) return std::nullopt;
  LiveJob* const job = turn.share ? lines_.first(*turn.share) : lines_.first(*turn.flow);
  if (job) return job;
  // Picking has taken the account out of the fair queue; it returns if another line of it is ready.
  turn.share ? settle(*turn.share) : settle_room(*turn.flow);
  return nullptr;
}

bool Scheduler::waits(LiveJob* job) {
  Line& line = *job->line;
  if (job->type->policy.batch) {
    std::optional<Time> until;
    if (batches_.running_batch(line)) {
      until = kUntilBatchEnds;
    } else {
      // The batch has its slots with one of its jobs, which need not be the first in line any more.
      kept_.give_to(job);
      until = batches_.waits_until(job, store_.first_due(job->row.run_at).has_value());
    }
    if (until) {
      leave_gate(line);
      blocked_.block(line, *until);
      settle(line);
      (void)release_holds(line);
      spare_memory(line);
      return true;
    }
  }
  Gate* gate = closed_gate(conditions_, job);
  // A job that waits goes on holding nothing that other jobs, or it itself, may wait for.
  if (gate && release_holds(line)) gate = closed_gate(conditions_, job);
  while (gate && take_from_copies(line, *gate)) gate = closed_gate(conditions_, job);
  if (!gate) return false;
  park_at(*gate, line);
  if (line.gate.waits_at == gate) {
    for (Condition* const condition : conditions_) condition->parked(job, line, *gate);
  }
  spare_memory(line);
  return true;
}

void Scheduler::wait_until(LiveJob* job, Time until) {
  Line& line = *job->line;
  blocked_.block(line, until);
  (void)release_holds(line);
  settle(line);
  spare_memory(line);
}

void Scheduler::spare_memory(Line& line) {
  if (lines_.is_crowded()) lines_.trim_saved(line, 0);
}

// -- Attempts

void Scheduler::started(LiveJob* job, const Token& token) {
  Line& line = *job->line;
  line.collection.reset();
  if (line.copies && budget().copies_started > 0) --budget().copies_started;
  const auto leave_line = [&](LiveJob* item) {
    item->line->jobs.remove(item);
    item->line = nullptr;
    if (item->keeps()) kept_.remove(item);
    item->running = true;
    item->token = token;
  };
  job->batch ? job->batch->each(leave_line) : leave_line(job);
  line.flow->running.push_back(job);
  job->share = line.share;
  if (line.share) ++line.share->running;
  for (Condition* const condition : conditions_) condition->started(job);
  // Last, when the conditions have counted the attempt: the slot that was promised to the line must
  // not be promised to another one. (A rate may let the next job start at once.)
  leave_gate(line);
  ready_lines_.settle(line, now_);
}

Scheduler::Seat Scheduler::leave(LiveJob* job) {
  const Seat seat{job->flow, std::exchange(job->share, nullptr)};
  seat.flow->running.remove(job);
  job->running = false;
  job->flow = nullptr;
  return seat;
}

void Scheduler::ended(const Seat& seat) {
  if (!seat.share) return settle_room(*seat.flow);
  --seat.share->running;
  settle(*seat.share);
}

void Scheduler::batch_ended(const Seat& seat, std::string_view name) {
  // Found by its name, because a line without jobs may have been forgotten meanwhile.
  Line* const line = Lines::find(*seat.flow, name);
  if (line && line->blocked_until == kUntilBatchEnds) wake(*line);
}

// -- Gates

// All lines leave before the gates open, so that no slot is promised to another line of the same
// flow. The count of closed gates goes on: otherwise the lines of an account that is often full
// would never become patient.
void Scheduler::leave_gates(Flow& flow) {
  std::vector<Gate*> left;
  const auto leave = [&](Line& line) {
    // A patient line keeps its promises, or it would never get all of its limits together.
    if (!line.gate.kept.empty()) return;
    const int looks = line.gate.looks;
    const std::vector<Gate*> promised = Gate::leave(line);
    left.insert(left.end(), promised.begin(), promised.end());
    ready_lines_.settle(line, now_);
    line.gate.looks = looks;
    if (line.share) turns_.settle(*line.share);
  };
  flow.shares ? flow.shares->at_gates.each(leave) : flow.each(leave);
  for (Gate* const gate : left) open(*gate);
}

void Scheduler::leave_gate(Line& line) {
  for (Gate* const gate : Gate::leave(line)) open(*gate);
}

// A line that has waited at several gates in turn for long keeps the promises of the others.
void Scheduler::park_at(Gate& gate, Line& line) {
  const auto beside = others(conditions_, *line.jobs.first(), gate);
  const int looks = beside ? std::min(line.gate.looks + 1, Gate::kMaxLooks) : 0;
  const std::vector<Gate*> left = Gate::leave(line);
  if (beside && looks == Gate::kMaxLooks) {
    // The gates before this one have just admitted the line; those behind were not asked.
    for (Gate* const other : beside->before) other->keep_for(line);
    for (Gate* const other : beside->behind) {
      if (other->admits(line)) other->keep_for(line);
    }
  }
  for (Gate* const promised : left) open(*promised);
  line.gate.looks = looks;
  gate.park(line, turns_.tag(line));
  if (line.share) line.flow->shares->at_gates.add(line);
  timers_.watch(gate, now_);
  settle(line);
}

// A copy of the account must not start with what one of its other jobs waits for. The line takes no
// more promises than it needs, and returns what it does not use as any other line does: it leaves
// its gates when it starts, and when it parks.
bool Scheduler::take_from_copies(Line& line, Gate& gate) {
  // Without room, a promise is worth nothing.
  if (line.copies || gate.room() <= 0) return false;
  bool taken = false;
  std::vector<Gate*> left;
  line.flow->each_of_copies([&](Line& copies) {
    if (gate.admits(line) || !gate.has_promised(copies)) return;
    taken = true;
    const std::vector<Gate*> others = gate.pass_on(copies, line);
    left.insert(left.end(), others.begin(), others.end());
  });
  if (taken && line.share) line.flow->shares->at_gates.add(line);
  for (Gate* const other : left) open(*other);
  return taken;
}

// Lines for which this step has no budget come in the next ones: a gate with room for waiters is
// due at once (GateTimers::watch).
void Scheduler::open(Gate& gate) {
  for (std::size_t& left = budget().woken_lines; left > 0; --left) {
    Line* const line = gate.next_waiter();
    if (!line) break;
    settle(*line);
  }
  timers_.watch(gate, now_);
}

// All slots are free before any line is promised one: a line may need several of them.
void Scheduler::give_back(const Holds& holds) {
  std::vector<Gate*> gates;
  for (const auto& [gate, attempt] : holds.held) {
    if (Gate* const free = gate->give_back(attempt)) gates.push_back(free);
  }
  for (Gate* const gate : gates) open(*gate);
}

void Scheduler::release_holds(LiveJob* job) {
  kept_.remove(job);
  Holds holds;
  holds.take_limits(job);
  holds.take_unique_gate(job);
  give_back(holds);
}

// Whether any of its jobs kept anything.
bool Scheduler::release_holds(Line& line) {
  bool kept = false;
  for (LiveJob* job = line.jobs.first(); job && job->place.order == kGoesOnFirst; job = job->next) {
    if (!job->keeps()) continue;
    release_holds(job);
    kept = true;
  }
  return kept;
}

void Scheduler::release_exceeded() {
  for (LiveJob* const job : kept_.exceeding()) release_holds(job);
}

void Scheduler::release_all() {
  while (!kept_.empty()) release_holds(kept_.first());
}

// -- Time

void Scheduler::advance(Time now) {
  for (std::size_t& left = budget().unblocked_lines; left > 0; --left) {
    Line* const line = blocked_.take_due(now);
    if (!line) break;
    settle(*line);
  }
  // A gate may turn out to wake nothing, so the gates are bounded as well as the lines.
  for (std::size_t left = kMaxWokenLinesPerStep; left > 0 && budget().woken_lines > 0; --left) {
    Gate* const gate = timers_.take_due(now);
    if (!gate) break;
    open(*gate);
  }
}

std::optional<Time> Scheduler::next_time() const {
  const std::optional<Time> line = blocked_.next(), gate = timers_.next();
  return line && gate ? std::min(line, gate) : (line ? line : gate);
}

// -- Looking

bool Scheduler::needs_only_turn(LiveJob* job) const { return !closed_gate(conditions_, job); }

Line* Scheduler::find_line(const JobRow& row) {
  Flow* const flow = lines_.find(row.account);
  std::string buffer;
  return flow ? Lines::find(*flow, order_.line_of(row, buffer)) : nullptr;
}

}  // namespace penstock
