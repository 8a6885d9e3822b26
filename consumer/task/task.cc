#include "consumer/task/task.h"

#include <algorithm>
#include <utility>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

Task::Task(TaskOptions options, View& view, Outbox& outbox, TaskHost& host)
    : core_(std::move(options), view, outbox, host) {}

Status Task::check_state(View& view, const QueuePolicy& queue, std::uint32_t newest_format) {
  if (Status good = StateFormat::check(view, queue.name, newest_format); !good) return good;
  std::string bytes;
  if (!view.get(keys::kMetaPartitions, &bytes)) return {};
  const std::uint32_t partitions = Cursor(bytes).u32();
  if (partitions == static_cast<std::uint32_t>(queue.partitions)) return {};
  return failure(
      "the state of queue \"" + queue.name + "\" was written for " + std::to_string(partitions) +
      " partitions, the configuration says " + std::to_string(queue.partitions) +
      ": another count would split accounts. Set it back, or begin a new queue with the new count "
      "and send the waiting jobs there");
}

void Task::put_meta(std::string_view key, std::uint32_t value) {
  std::string bytes;
  put_u32(bytes, value);
  core_.view.put(key, bytes);
}

void Task::restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) {
  core_.now = now.wall;
  core_.outgoing.begin_commit(seq + 1);
  attempts_.restored(generation, epoch);
  std::string bytes;
  if (core_.view.get(keys::kMetaInputNext, &bytes)) core_.input_next = Offset{Cursor(bytes).i64()};
  core_.seqs.restored();
  admission_.arrivals().restored();
  put_meta(keys::kMetaGeneration, generation);
  put_meta(keys::kMetaPartitions, static_cast<std::uint32_t>(core_.options.queue.partitions));
  core_.format.restored();
  dirty_ = true;

  core_.store.restored(seq, now.wall);
  core_.locks.restored();
  admission_.restored();
  Identities& identities = core_.store.identities();
  const Restoration::Parts parts{
      core_.view,     *core_.options.types, identities.index(),     core_.limits,
      core_.breakers, core_.replays,        core_.scheduler.lines()};
  restoration_.emplace(parts, identities.oldest_kept(now.wall));
  core_.restoring = true;
  // advance() begins no step while the rows are read, but lines that are found may open gates.
  core_.scheduler.begin_step();
}

void Task::restore_some(Now now) {
  core_.now = now.wall;
  // The rows of breakers that are gone are erased on the way; a commit must take them.
  if (!restoring() || unsaved_bytes() > kMaxGatheredBytes) return;
  const auto found = [this](Line& line) { core_.scheduler.settle(line); };
  if (restoration_->step(core_.options.bounds.restored_rows, found)) return;
  // There were more accounts than memory may have: the rest come as there is room.
  if (restoration_->left_lines()) core_.scheduler.rest().left(core_.now);
  restoration_.reset();
  core_.restoring = false;
}

void Task::admit(std::span<const LogRecord> records, Now now) {
  core_.now = now.wall;
  for (const LogRecord& record : records) {
    // The log may deliver records again that were read before.
    if (record.offset < core_.input_next) continue;
    if (!wants_input()) return;
    admission_.admit(record);
    core_.input_next = record.offset.next();
    dirty_ = true;
  }
}

std::size_t Task::replay(const Copies::Reading& reading, std::span<const LogRecord> records,
                         Now now) {
  core_.now = now.wall;
  return restoring() ? 0 : copies_.take(reading, records);
}

void Task::skip_to(Offset next) {
  admission_.arrivals().skipped_to(next);
  core_.input_next = next;
  dirty_ = true;
}

void Task::set_control(const Control* control, Now now) {
  core_.now = now.wall;
  if (control) core_.format.finish(control->finished_format(core_.options.queue.name));
  slots_.set_control(control);
}

void Task::exchange_slots(const SlotStanding& standing, Now now) {
  core_.now = now.wall;
  if (!restoring()) slots_.report(standing);
}

void Task::attempt_ended(const Token& token, AttemptResult result, Now now) {
  core_.now = now.wall;
  attempts_.ended(token, std::move(result));
}

int Task::start_ready(int capacity, Now now) {
  core_.now = now.wall;
  return restoring() ? capacity : attempts_.start(capacity);
}

// -- Time

void Task::advance(Now now) {
  core_.now = now.wall;
  if (restoring()) return;
  core_.scheduler.begin_step();
  if (admission_.is_unparking()) admission_.unpark();
  if (core_.replays.any()) {
    copies_.report();
    cancelled_copies_.step(now);
  }
  if (core_.store.identities().has_work()) core_.store.identities().step();
  core_.scheduler.bring_rows();
  placement_.place_due();
  core_.scheduler.advance(now.wall);
  commands_.expire_due();
  queries_.oldest_ready().look_on();
  if ((pruning_ || now.wall >= next_prune_) && unsaved_bytes() < kMaxGatheredBytes) {
    prune();
    next_prune_ = now.wall + kPruneEvery;
  }
}

// Forgets what is no longer needed, a bounded number of rows per step, and continues in the next
// step while there is more.
void Task::prune() {
  core_.store.identities().prune(core_.now);
  const bool more = core_.limits.forget_idle();
  // Lines may wait until a shared limit is forgotten.
  core_.scheduler.open(core_.limits.room());
  core_.unique_gates.forget_idle();
  core_.breakers.forget_idle();
  pruning_ = core_.store.prune(core_.now) || more;
  // A bulk outlives its chunks' rows.
  if (!pruning_) pruning_ = core_.bulks.prune(core_.now);
  pruning_ = core_.locks.prune(core_.now) || pruning_;
}

std::optional<Time> Task::next_time() {
  // Time{} has passed long ago: the next step follows at once.
  const StepBudget& budget = core_.scheduler.budget();
  const bool picks_left = (budget.idle_picks == 0 || budget.copies_started == 0) && has_ready();
  const bool goes_on = pruning_ || has_reports();
  if (restoring() || admission_.is_unparking() || queries_.oldest_ready().is_looking() ||
      picks_left || core_.scheduler.rest().can_bring())
    return Time{};
  // Without room they must wait for the commit, after which this is asked again.
  if (goes_on && wants_input()) return Time{};
  std::optional<Time> next;
  for (const std::optional<Time> time :
       {core_.store.next_due(), core_.store.next_expiry(), core_.scheduler.next_time(),
        core_.limits.shared().next_time(), core_.replays.next_time(core_.now),
        cancelled_copies_.next_time()}) {
    if (time && (!next || *time < *next)) next = time;
  }
  return next;
}

// -- Commit

bool Task::dirty() const {
  return core_.view.dirty() || core_.store.dirty() || core_.replays.dirty() || dirty_;
}

void Task::save(std::uint64_t seq) {
  // Messages that are sent from here on belong to the next commit.
  core_.outgoing.begin_commit(seq + 1);
  std::string bytes;
  put_i64(bytes, core_.input_next.value);
  core_.view.put(keys::kMetaInputNext, bytes);
  core_.seqs.save();
  core_.limits.save();
  core_.breakers.save();
  core_.replays.save(seq);
  Lines& lines = core_.scheduler.lines();
  const bool full = core_.store.pool().in_use() > core_.options.max_live_jobs;
  std::vector<Line*> crowded;
  core_.store.save([&](LiveJob* job) {
    if (job->line && (job->line->jobs.size() > Lines::kKeptJobs || full))
      crowded.push_back(job->line);
  });
  core_.bulks.save();
  core_.locks.save();
  // Only now, when all of their jobs have rows: trimming leaves the jobs as their rows alone.
  for (Line* const line : crowded) lines.trim(*line, full ? 0 : Lines::kKeptJobs);
  // After the jobs: a job's first row changes the number of rows that is saved here.
  core_.store.identities().save(seq);
  dirty_ = false;
  lines.give_memory_back();
}

}  // namespace penstock
