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
  lines_.each([](Flow& flow) { flow.each([](Line& line) { (void)Gate::leave(line); }); });
}

// -- Jobs that wait

void Scheduler::add(LiveJob* job) {
  job->place = job->turn = order_.place_of(job->row);
  if (!lines_.has_room_for(job->row.account)) {  // its row alone waits until there is
    store_.move(job, Place::kLine);
    store_.release(job);
    return rest_.left();
  }
  // Of an account whose rows were left, all lines come into memory: one of the others may hold the
  // job whose turn it is.
  if (rest_.any() && !lines_.find(job->row.account)) {
    rest_.bring(job->row.account, [this](Line& found) { settle(found); });
  }
  Flow& flow = lines_.make(job->row.account);
  std::string buffer;
  Line& line = Lines::make(flow, order_.line_of(job->row, buffer));
  if (job->keeps()) {
    job->place.order = kGoesOnFirst;
    store_.erase_row(job);  // which might be loaded beside it
    lines_.load_to(line, job->place);
  }
  const bool changes = batches_.joins(line, job);
  if (!Lines::loads(line, job->place)) {
    store_.move(job, Place::kLine);
    store_.release(job);
    return changes ? wake(line) : settle(line);
  }
  Lines::insert(line, job);
  store_.mark_unsaved(job);
  if (changes || line.jobs.first() == job) return wake(line);
  if (line.gate.waits_at) line.gate.waits_at->joined();
  // The first may wait for what this one keeps.
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
  if (line.share) return settle(*line.share);
  settle_room(*line.flow);
}

void Scheduler::settle(Share& share) {
  Flow& flow = *share.flow;
  lines_.weigh(share);
  turns_.settle(share);
  if (share.idle()) Lines::forget(share);
  settle_room(flow);
}

// Enters the flow into the fair queue or takes it out, by whether it can run something now. A flow
// without room waits at no gate: a place would be promised to an account that cannot use it.
void Scheduler::settle_room(Flow& flow) {
  const bool room = !is_full(flow);
  if (!room) leave_gates(flow);
  turns_.settle(flow, room);
  if (!flow.idle()) return;
  flow.each([&](Line& line) { blocked_.unblock(line); });
  lines_.forget(flow);
}

// -- Turns

std::optional<LiveJob*> Scheduler::next() {
  const Turns::Turn turn = turns_.pick();
  if (!turn.flow) return std::nullopt;
  LiveJob* const job = turn.share ? lines_.first(*turn.share) : lines_.first(*turn.flow);
  if (job) return job;
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
  // A job that waits keeps nothing that others, or itself, may wait for.
  if (gate && release_holds(line)) gate = closed_gate(conditions_, job);
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
  leave_gate(line);  // a rate may let the next one start
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
  Line* const line = Lines::find(*seat.flow, name);
  if (line && line->blocked_until == kUntilBatchEnds) wake(*line);
}

// -- Gates

// First all of them leave, then the gates open: none is promised to the next of the same flow. What
// they have found closed before counts on: an account that is often full would never be patient.
void Scheduler::leave_gates(Flow& flow) {
  std::vector<Gate*> left;
  const auto leave = [&](Line& line) {
    if (!line.gate.kept.empty()) return;
    const int looks = line.gate.looks;
    const std::vector<Gate*> promised = Gate::leave(line);
    left.insert(left.end(), promised.begin(), promised.end());
    line.gate.looks = looks;
    if (line.share) turns_.settle(*line.share);
  };
  flow.shares ? flow.shares->at_gates.each(leave) : flow.each(leave);
  for (Gate* const gate : left) open(*gate);
}

void Scheduler::leave_gate(Line& line) {
  for (Gate* const gate : Gate::leave(line)) open(*gate);
}

// A line that has waited at several gates in turn for long keeps the others.
void Scheduler::park_at(Gate& gate, Line& line) {
  const auto beside = others(conditions_, *line.jobs.first(), gate);
  const int looks = beside ? std::min(line.gate.looks + 1, Gate::kMaxLooks) : 0;
  const std::vector<Gate*> left = Gate::leave(line);
  if (beside && looks == Gate::kMaxLooks) {
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

// Those that this step has no room for come in the next ones.
void Scheduler::open(Gate& gate) {
  for (std::size_t& left = budget().woken_lines; left > 0; --left) {
    Line* const line = gate.next_waiter();
    if (!line) break;
    settle(*line);
  }
  timers_.watch(gate, now_);
}

// All places are free before anything waits for one of them anew.
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

Line* Scheduler::find_line(const JobRow& row) {
  Flow* const flow = lines_.find(row.account);
  std::string buffer;
  return flow ? Lines::find(*flow, order_.line_of(row, buffer)) : nullptr;
}

}  // namespace penstock
