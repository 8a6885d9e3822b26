// Task: jobs that run in iterations (docs/long-jobs.md). What always holds:
//  - the cursor that an attempt begins with is the one that the job's last iteration, or
//  checkpoint, has left, and the follow-ups of the way there are in the same commit;
//  - a job that keeps its slots and locks between iterations is in memory, in its line and before
//  all others of it
//    (they may need what it keeps), and waits for its account's turn alone: as soon as it has to
//    wait for anything else, or its turn is given up, so is what it keeps. So nobody waits for ever
//    for what it keeps;
//  - a job that gives its turn up comes behind every job of its account that is there, and before
//  those that are not.
#include <algorithm>
#include <utility>

#include "consumer/policy/error_pattern.h"
#include "consumer/task/task.h"
#include "state/rows/encoding.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

std::string oversize_cursor(std::string_view cursor) {
  return "its cursor has " + std::to_string(cursor.size()) + " bytes, at most " +
         std::to_string(kMaxCursorBytes) +
         " are kept: keep what it names in a store of your own and its key in the cursor";
}

bool has_own(const ItemOutcomes& items, std::size_t i) { return i < items.size() && items[i]; }

// Each job of the batch, with whether it has an outcome of its own.
template <typename Function>
void each_of(LiveJob* job, const JobBatch* batch, const ItemOutcomes& items, Function function) {
  if (!batch) return function(job, false);
  for (std::size_t i = 0; i < batch->items.size(); ++i) {
    const bool own = has_own(items, i);
    function(batch->items[i].job, own);
    for (LiveJob* const folded : batch->items[i].folded) function(folded, own);
  }
}

}  // namespace

// -- Cursor and progress

// What an attempt leaves and cannot be taken makes a failure of it.
void Task::refuse_unfit(LiveJob* job, AttemptResult& result) {
  const auto* const next = std::get_if<NextIteration>(&result.outcome);
  if (next && next->cursor.size() > kMaxCursorBytes)
    result.outcome = RetryLater{oversize_cursor(next->cursor), std::nullopt};
  const bool retried = std::holds_alternative<RetryLater>(result.outcome) ||
                       std::holds_alternative<Interrupted>(result.outcome);
  std::optional<std::string> refused;
  if (!job->refused.empty()) {
    refused = std::exchange(job->refused, {});
  } else if (!retried && !result.enqueue.empty()) {
    refused = produce(job, result.enqueue);
  }
  if (!refused) return;
  result.outcome = RetryLater{*std::move(refused), {}, std::string(kBadEnqueueError)};
  result.items.clear();
}

// A handler that goes on takes its cursor for saved: one behind which follow-ups are missing is as
// bad as one that cannot be kept.
void Task::checkpoint(const Token& token, std::string cursor, std::span<const FollowUp> enqueue) {
  const auto found = running_.find(token.number);
  if (found == running_.end() || found->second->token != token || planted(Bug::kCursorLost)) return;
  LiveJob* const job = found->second;
  if (!job->refused.empty()) return;
  std::optional<std::string> refused;
  if (cursor.size() > kMaxCursorBytes) refused = oversize_cursor(cursor);
  if (!refused && !planted(Bug::kCheckpointAlone)) refused = produce(job, enqueue);
  forget_unsaved(job);  // its size changes
  if (refused) {
    job->row.reason = job->refused = refused->substr(0, kMaxDetailBytes);
    host_.ask_to_stop(token);
  } else {
    job->row.cursor = std::move(cursor);
  }
  mark_unsaved(job);
  if (refused || !job->batch) return;
  const Offset together = batch_number(token);
  job->batch->each([&](LiveJob* item) {  // the cursor is of these jobs and no others
    if (item->row.batch == together) return;
    item->row.batch = together;
    mark_unsaved(item);
  });
}

void Task::progress(const Token& token, std::int64_t n, std::int64_t total) {
  const auto found = running_.find(token.number);
  if (found == running_.end() || found->second->token != token) return;
  found->second->row.progress = n;
  found->second->row.progress_total = total;
  mark_unsaved(found->second);
}

void Task::finish_as(LiveJob* job, const NextIteration& next, Now now) {
  job->row.cursor = next.cursor;
  job->row.snoozes = 0;
  if (!planted(Bug::kCrashesKept)) job->row.crashes = 0;  // what they were about, it has got past
  emit_event(EventKind::kIterated, job->row, &job->token, {}, now);
  if (job->row.cancel_asked()) return end_as_asked(job, now);
  if (has_run_long(*job)) give_turn_up(job, now);
  again(job);
}

// -- The cursor of a batch

void Task::move_cursor(LiveJob* from, LiveJob* to) {
  for (LiveJob* const job : {from, to}) forget_unsaved(job);  // their sizes change
  to->row.cursor = std::exchange(from->row.cursor, {});
  for (LiveJob* const job : {from, to}) mark_unsaved(job);
}

// A job that waits leaves its batch. Its cursor, which is the batch's, is for those who stay; not
// for jobs that will run alone, as if it were their own.
void Task::leave_cursor(LiveJob* job) {
  if (job->row.batch.value < 0 || job->row.cursor.empty()) return;
  const bool unsaved = job->unsaved_at != LiveJob::kNotUnsaved;
  forget_unsaved(job);             // its size changes
  const Offset before{INT64_MIN};  // those that wait for a retry together have the same time
  Heirs heirs = leave_cursor_in_line(job->row);
  if (heirs != Heirs::kTook) {
    heirs = std::max(heirs, leave_cursor_in_rows(job->row, keys::due(job->row.run_at, before),
                                                 keys::due(job->row.run_at + Duration{1}, before)));
  }
  if (heirs != Heirs::kNone) job->row.cursor.clear();
  if (unsaved || job->line) mark_unsaved(job);
}

Heirs Task::leave_cursor_in_line(JobRow& row) {
  Flow* const flow = lines_.find(row.account);
  std::string buffer;
  const Line* const line = flow ? Lines::find(*flow, line_of(row, buffer)) : nullptr;
  if (!line && rest_.any()) {
    const std::string prefix = keys::line_prefix(row.account, line_of(row, buffer));
    return leave_cursor_in_rows(row, prefix, keys::after_prefix(prefix));
  }
  if (!line) return Heirs::kNone;
  Heirs heirs = Heirs::kNone;
  for (LiveJob* other = line->jobs.first(); other; other = other->next) {
    if (other->row.batch != row.batch || other->row.offset == row.offset) continue;
    heirs = Heirs::kUnfit;
    if (is_suspect(other->row)) continue;
    forget_unsaved(other);
    other->row.cursor = std::move(row.cursor);
    mark_unsaved(other);
    return Heirs::kTook;
  }
  if (!line->more) return heirs;
  const std::string prefix = keys::line_prefix(row.account, line->name);
  const LinePlace& last = line->loaded_to;
  const bool none = last == kNothingLoaded;
  const std::string from =
      none ? prefix : keys::line(row.account, line->name, last.order, last.offset.next());
  return std::max(heirs, leave_cursor_in_rows(row, from, keys::after_prefix(prefix)));
}

Heirs Task::leave_cursor_in_rows(JobRow& row, const std::string& from, const std::string& to) {
  Heirs heirs = Heirs::kNone;
  std::string at;
  JobRow other;
  std::size_t looked_at = 0;
  view_.scan(from, to, [&](std::string_view key, std::string_view bytes) {
    PENSTOCK_CHECK(other.assign(bytes).has_value(), "a job row follows its grammar");
    if (other.batch == row.batch && other.offset != row.offset && other.account == row.account) {
      heirs = Heirs::kUnfit;
      if (!is_suspect(other)) at = key;
    }
    return at.empty() && ++looked_at < kMaxLookedAt;
  });
  if (at.empty()) return heirs;
  other.cursor = std::move(row.cursor);
  view_.put(at, other.encode());
  return Heirs::kTook;
}

// What a batch has kept of its limits is with one of its jobs; another one may be the first now.
void Task::take_lead(LiveJob* first) {
  if (first->row.batch.value < 0 || !first->holds.empty()) return;
  for (LiveJob* job = first->next; job && job->place.order == kGoesOnFirst; job = job->next) {
    if (job->holds.empty() || job->row.batch != first->row.batch) continue;
    first->holds = std::exchange(job->holds, {});
    first->held_as = job->held_as;
    kept_.emplace(std::pair(first->token.number, first->row.offset), first);
    if (!job->keeps()) kept_.erase({job->token.number, job->row.offset});
    return;
  }
}

// -- max_runtime

// How long it has run in its place. A batch's jobs go on together, so they have run equally long.
void Task::count_run(LiveJob* job, const JobBatch* batch, const OutcomeValue& outcome, Now now) {
  if (!std::holds_alternative<NextIteration>(outcome) &&
      !std::holds_alternative<Interrupted>(outcome))
    return;
  Duration ran{0};
  each_of(job, batch, {}, [&](const LiveJob* item, bool) { ran = std::max(ran, item->row.ran); });
  if (now.wall > job->row.started_at) ran += now.wall - job->row.started_at;
  each_of(job, batch, {}, [&](LiveJob* item, bool) { item->row.ran = ran; });
}

bool Task::has_run_long(const LiveJob& job) {
  const std::optional<Duration>& most = job.type->policy.max_runtime;
  return most && job.row.ran >= *most && !planted(Bug::kTurnKept);
}

// Behind what the input has brought so far, and behind whoever has done so before.
void Task::give_turn_up(LiveJob* job, Now now) {
  last_turn_ = std::max(last_turn_ + 1, turn_of(input_next_) - kTurnsAnOffset + 1);
  if (last_turn_ % kTurnsAnOffset == 0) ++last_turn_;  // an offset's own
  std::string bytes;
  put_i64(bytes, last_turn_);
  view_.put(keys::kMetaTurn, bytes);
  job->row.turn = last_turn_;
  job->row.ran = Duration{0};
  if (options_.queue.order == Order::kReady) job->row.run_at = std::max(job->row.run_at, now.wall);
}

// -- between_iterations

// The job that goes on with what the attempt holds; null: none does.
LiveJob* Task::keeper(LiveJob* job, const JobBatch* batch, const AttemptResult& result) {
  const bool keeps =
      job->type->policy.between_iterations == BetweenIterations::kKeep && !planted(Bug::kHoldsLost);
  if (!keeps || !std::holds_alternative<NextIteration>(result.outcome) || has_run_long(*job))
    return nullptr;
  for (const Limit* const limit : job->holds) {
    if (limit->exceeded()) return nullptr;
  }
  LiveJob* found = nullptr;
  each_of(job, batch, result.items, [&](LiveJob* item, bool own) {
    if (!found && !own && !item->row.cancel_asked()) found = item;
  });
  return found;
}

Task::Holds Task::leave_holds(LiveJob* job, const JobBatch* batch, const AttemptResult& result) {
  LiveJob* const goes_on = keeper(job, batch, result);
  Holds left;
  left.limits_as = job->held_as;
  left.gates_as = job->token.number;
  std::vector<Limit*> limits = std::exchange(job->holds, {});
  if (goes_on) {
    goes_on->holds = std::move(limits);
    goes_on->held_as = left.limits_as;
  } else {
    left.limits = std::move(limits);
  }
  each_of(job, batch, result.items, [&](LiveJob* item, bool own) {
    const bool stays = goes_on && !own && !item->row.cancel_asked();
    if (!stays && item->unique_gate)
      left.gates.push_back(std::exchange(item->unique_gate, nullptr));
    if (stays && (item->unique_gate || !item->holds.empty()))
      kept_.emplace(std::pair(item->token.number, item->row.offset), item);
  });
  return left;
}

void Task::release_limits(const Holds& holds) {
  for (Limit* const limit : holds.limits) limit->release(holds.limits_as);
  for (Limit* const limit : holds.limits) open(*limit);
}

void Task::release_gates(const Holds& holds) {
  for (UniqueGate* const gate : holds.gates) open_unique(gate, holds.gates_as);
}

void Task::let_go(LiveJob* job) {
  kept_.erase({job->token.number, job->row.offset});
  if (planted(Bug::kHoldsLeaked)) {
    job->holds.clear();
    job->unique_gate = nullptr;
    return;
  }
  Holds left;
  left.limits_as = job->held_as;
  left.gates_as = job->token.number;
  left.limits = std::exchange(job->holds, {});
  if (job->unique_gate) left.gates.push_back(std::exchange(job->unique_gate, nullptr));
  release_limits(left);
  release_gates(left);
}

// Whether anything was kept.
bool Task::let_go(Line& line) {
  bool kept = false;
  for (LiveJob* job = line.jobs.first(); job && job->place.order == kGoesOnFirst; job = job->next) {
    if (!job->keeps()) continue;
    let_go(job);
    kept = true;
  }
  return kept;
}

void Task::let_exceeded_go() {
  std::vector<LiveJob*> over;
  for (const auto& [attempt, job] : kept_) {
    for (const Limit* const limit : job->holds) {
      if (!limit->exceeded()) continue;
      over.push_back(job);
      break;
    }
  }
  for (LiveJob* const job : over) let_go(job);
}

void Task::let_all_go() {
  while (!kept_.empty()) let_go(kept_.begin()->second);
}

// Of a job that waits for its turn: what is to be known beside whose turn it is.
std::string Task::between_iterations(const JobRow& row, const LiveJob* live) const {
  std::string text;
  if (row.turn >= 0)
    text = "it has run for its max_runtime, so it went behind the account's others; ";
  if (live && live->keeps()) text += "it keeps its slots and locks until its next iteration; ";
  return text;
}

}  // namespace penstock
